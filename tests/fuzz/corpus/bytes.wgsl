/* not closed /* nested */ "ü" 0x1p 1e+ 1.0hf 08 _ __a a__ $ \ ` #

"""%%wgsl, which makes a kernel of a notebook's cell."""


def load(ipython):
    """What `%load_ext muster` does."""
    ipython.register_magic_function(lambda line, cell: wgsl(ipython, line, cell), "cell", "wgsl")


def wgsl(ipython, line, cell):
    """%%wgsl NAME: the cell's text becomes the kernel NAME; without a name, that of the entry point."""
    from ._kernels import kernel

    # The magic's own line counts, so that errors have the cell's lines.
    made = kernel("\n" + cell, name="cell.wgsl")
    ipython.push({line.strip() or made.name: made})
    return made

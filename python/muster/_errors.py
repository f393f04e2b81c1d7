"""The error that everything in this package raises about kernels, devices and models."""


class Error(RuntimeError):
    """What went wrong, why, and what to do.

    `str()` of it is the whole story. Attributes:

    message: full sentences, with the given value and the limit.
    code: a name that doesn't change, such as "invalid_argument", "refused" or "device_lost".
    fix: what to do next; may be empty.
    story: message, what was being done, and fix, as the tool prints them.
    steps: what was being done, innermost first.
    """

    def __init__(self, message, code="invalid_argument", fix="", story=None, steps=()):
        if story is None:
            story = f"{message}\nFix: {fix}" if fix else message
        super().__init__(story)
        self.message, self.code, self.fix, self.story, self.steps = message, code, fix, story, tuple(steps)

    def __reduce__(self):
        return Error, (self.message, self.code, self.fix, self.story, self.steps)

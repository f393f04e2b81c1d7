"""Waiting for work in asyncio."""


def awaited(ticket):
    """What `await ticket` goes through. If it is cancelled, the work goes on."""
    import asyncio

    loop = asyncio.get_running_loop()
    future = loop.create_future()

    def tell(_):
        try:
            loop.call_soon_threadsafe(lambda: future.done() or future.set_result(None))
        except RuntimeError:  # the loop was closed meanwhile
            pass

    ticket.add_done_callback(tell)
    yield from future
    return ticket.wait()

/** A function that draws once before the next frame, however often it is called until then. */
export function oncePerFrame(draw) {
  let waiting = false;
  return () => {
    if (waiting)
      return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      draw();
    });
  };
}

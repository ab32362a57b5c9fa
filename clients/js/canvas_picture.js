/** Pictures of canvases, smaller and compressed, without holding up the page. */

/**
 * The JPEG of what a canvas shows now, `width` pixels wide at most: `{ blob, width, height }`.
 * Rejects where there is no such canvas, as in node.
 */
export async function compressed(canvas, width, quality) {
  if (typeof createImageBitmap !== "function") throw new Error("there are no canvases here");
  const factor = Math.min(1, width / Math.max(canvas.width, 1));
  const size = [canvas.width, canvas.height].map((side) => Math.max(1, Math.round(side * factor)));
  // The copy is begun at once: the page may draw on.
  const bitmap = await createImageBitmap(canvas, {
    resizeWidth: size[0], resizeHeight: size[1], resizeQuality: "medium",
  });
  const small = new OffscreenCanvas(...size);
  const context = small.getContext("2d", { alpha: false });
  context.drawImage(bitmap, 0, 0);
  bitmap.close();
  const blob = await small.convertToBlob({ type: "image/jpeg", quality });
  return { blob, width: size[0], height: size[1] };
}

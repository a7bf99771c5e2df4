/** Places a floating element below a rectangle of the window, or above it if there is more space, and within the window. */
export function beside(
  floating: HTMLElement,
  place: Pick<DOMRect, 'left' | 'right' | 'top' | 'bottom'>,
): void {
  const edge = 8
  const { width, height } = floating.getBoundingClientRect()
  const below = place.bottom + 4
  const fits = below + height <= window.innerHeight - edge || place.top < window.innerHeight / 2
  const left = Math.min(place.left, window.innerWidth - width - edge)
  floating.style.left = `${Math.max(left, edge)}px`
  floating.style.top = `${Math.max(fits ? below : place.top - 4 - height, edge)}px`
}

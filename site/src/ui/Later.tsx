// Renders its children in a separate task, so that none is long.
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** place: a placeholder until then, if content below would otherwise jump. */
export function Later({
  children,
  place = null,
}: {
  children: ComponentChildren
  place?: ComponentChildren
}) {
  const [due, setDue] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setDue(true))
    return () => clearTimeout(timer)
  }, [])
  return due ? children : place
}

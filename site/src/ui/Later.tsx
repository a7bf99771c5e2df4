// What is shown in a task of its own, so that none is long.
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'

export function Later({ children }: { children: ComponentChildren }) {
  const [due, setDue] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setDue(true))
    return () => clearTimeout(timer)
  }, [])
  return due ? children : null
}

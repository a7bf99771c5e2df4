// The buttons above the timeline.

import type { ComponentChildren } from 'preact'

interface ToolbarProps {
  label: string
  compact: boolean
  /** Whether everything is in sight. */
  whole: boolean
  /** Whether the critical chain is shown; null: there is none. */
  chain: boolean | 'coming' | null
  table: boolean
  onZoom(factor: number): void
  onWhole(): void
  onRows(factor: number): void
  onChain(): void
  onTable(): void
  tools: ComponentChildren
}

const ZOOM = 1.6
const ROWS = 1.4

export function Toolbar(props: ToolbarProps) {
  const { compact, chain, onZoom, onRows } = props
  return (
    <div class="timeline-bar" role="toolbar" aria-label={`View of ${props.label}`}>
      <ToolGroup name="Time">
        <ToolButton label="Zoom out" hint="S" onClick={() => onZoom(ZOOM)}>
          −
        </ToolButton>
        <ToolButton label="Zoom in" hint="W" onClick={() => onZoom(1 / ZOOM)}>
          +
        </ToolButton>
        <ToolButton
          label="Show all of the time range"
          hint="Home"
          disabled={props.whole}
          onClick={props.onWhole}
        >
          All
        </ToolButton>
      </ToolGroup>
      <ToolGroup name="Rows">
        <ToolButton label="Shorter rows" hint="Alt+wheel" onClick={() => onRows(1 / ROWS)}>
          −
        </ToolButton>
        <ToolButton label="Taller rows" hint="Alt+wheel" onClick={() => onRows(ROWS)}>
          +
        </ToolButton>
      </ToolGroup>
      {chain !== null && (
        <button
          type="button"
          class="button"
          title="The tasks and synchronisations that determine when the plan ends (C)"
          aria-pressed={chain === true}
          disabled={chain === 'coming'}
          onClick={props.onChain}
        >
          Critical chain
        </button>
      )}
      {!compact && (
        <button type="button" class="button" aria-pressed={props.table} onClick={props.onTable}>
          Table
        </button>
      )}
      {props.tools}
    </div>
  )
}

function ToolGroup({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <span class="timeline-group">
      <span class="timeline-part">{name}</span>
      {children}
    </span>
  )
}

interface ToolButtonProps {
  label: string
  /** Key or gesture. */
  hint: string
  disabled?: boolean
  onClick(): void
  children: ComponentChildren
}

function ToolButton({ label, hint, disabled = false, onClick, children }: ToolButtonProps) {
  return (
    <button
      type="button"
      class="button quiet"
      title={`${label} (${hint})`}
      aria-label={label}
      disabled={disabled}
      onClick={onClick}
    >
      {children}
    </button>
  )
}

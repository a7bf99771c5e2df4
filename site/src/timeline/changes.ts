// The changes offered for a row of the timeline: GPUs and links that fail, slow down or speed up.

import type { WhatIfChange } from '../engine/api'
import { short } from '../views/format'
import { nameOfGPU } from '../views/gpus'
import { gpuName, type Model } from './model'

/** A row of the picture. */
export interface Row {
  pane: 'gpus' | 'links'
  row: number
}

export interface Choice {
  /** Label within its group. */
  label: string
  changes: WhatIfChange[]
  /** Full description of the change. */
  words: string
}

export interface ChoiceGroup {
  name: string
  choices: Choice[]
}

const FACTORS = [
  [0.5, '½×', 'at half speed'],
  [2, '2×', 'twice as fast'],
  [4, '4×', '4 times as fast'],
  [10, '10×', '10 times as fast'],
] as const

/** The name of a row. */
export function rowName(m: Model, { pane, row }: Row): string {
  return pane === 'gpus' ? gpuName(m, m.gpus[row]!) : (m.links[row]?.label ?? '')
}

export function choicesOf(m: Model, { pane, row }: Row): ChoiceGroup[] {
  const { instance } = m
  const network: ChoiceGroup = {
    name: 'Whole network',
    choices: FACTORS.map(([factor, label, words]) => ({
      label,
      changes: [{ kind: 'network', subject: '', factor }],
      words: `The network is ${words}`,
    })),
  }
  const several = instance.nodes.length > 1 ? [network] : []
  if (pane === 'links') {
    const { links, label, alike } = m.links[row]!
    const name = alike > 0 ? `${label} and ${alike} more` : label
    return [
      ofLinks(
        name,
        links.map(l => instance.links[l]!.name),
      ),
      ...several,
    ]
  }
  const node = instance.nodes[m.nodeOf[m.gpus[row]!]!]!
  const type = instance.types[node.type]!.name
  const own = instance.links.filter(
    link =>
      !link.failed && ['nic_up', 'nic_down'].includes(link.kind) && link.name.startsWith(`${node.name}.`),
  )
  const name = short(node.name)
  const fail: Choice = {
    label: 'Fail',
    changes: [{ kind: 'fail_gpu', subject: nameOfGPU(node, m.gpus[row]!) }],
    words: `${gpuName(m, m.gpus[row]!)} fails`,
  }
  return [
    {
      name: 'This GPU',
      choices: [
        // A node must keep at least one GPU.
        ...(node.gpus > 1 ? [fail] : []),
        {
          label: 'One more',
          changes: [{ kind: 'add_gpu', subject: node.name }],
          words: `${name} has one more GPU`,
        },
      ],
    },
    {
      name: `Every ${short(type)}`,
      choices: FACTORS.slice(0, 2).map(([factor, label, words]) => ({
        label,
        changes: [{ kind: 'speed', subject: type, factor }],
        words: `Every ${short(type)} is ${words}`,
      })),
    },
    ...(several.length > 0
      ? [
          {
            name: `Node ${name}`,
            choices: [
              {
                label: 'Fail',
                changes: [{ kind: 'fail_node', subject: node.name } satisfies WhatIfChange],
                words: `Node ${name} fails`,
              },
            ],
          },
        ]
      : []),
    ...(own.length > 0 && several.length > 0
      ? [
          ofLinks(
            `Network of ${name}`,
            own.map(link => link.name),
          ),
        ]
      : []),
    ...several,
  ]
}

function ofLinks(name: string, links: readonly string[]): ChoiceGroup {
  return {
    name,
    choices: [
      {
        label: 'Cut',
        changes: links.map(subject => ({ kind: 'cut_link', subject })),
        words: `${name} is cut`,
      },
      ...FACTORS.map(([factor, label, words]) => ({
        label,
        changes: links.map((subject): WhatIfChange => ({ kind: 'link_speed', subject, factor })),
        words: `${name} is ${words}`,
      })),
    ],
  }
}

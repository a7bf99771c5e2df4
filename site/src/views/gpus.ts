// GPUs by name.

import type { Compiled } from '../engine/api'

type Node = Compiled['nodes'][number]

/** The number of a GPU in its node: others there may be out of service. */
export function placeOf(node: Node, gpu: number): number {
  const at = gpu - node.first_gpu
  return node.places?.[at] ?? at
}

/** What files and commands call a GPU. */
export const nameOfGPU = (node: Node, gpu: number) => `${node.name}.gpu${placeOf(node, gpu)}`

/** The node of a GPU. */
export function nodeOf(instance: Compiled, gpu: number): Node | undefined {
  return instance.nodes.find(node => gpu >= node.first_gpu && gpu < node.first_gpu + node.gpus)
}

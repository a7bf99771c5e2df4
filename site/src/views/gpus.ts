// GPUs by name.

import type { Compiled } from '../engine/api'

type Node = Compiled['nodes'][number]

/** The number of a GPU in its node, where other GPUs may be out of service. */
export function placeOf(node: Node, gpu: number): number {
  const at = gpu - node.first_gpu
  return node.places?.[at] ?? at
}

/** The name of a GPU in files and commands. */
export const nameOfGPU = (node: Node, gpu: number) => `${node.name}.gpu${placeOf(node, gpu)}`

/** The node of a GPU. */
export function nodeOf(instance: Compiled, gpu: number): Node | undefined {
  return instance.nodes.find(node => gpu >= node.first_gpu && gpu < node.first_gpu + node.gpus)
}

// The engine starts before anything else is loaded: it takes the longest.
import { startEngine } from './engine/client'

const starting = startEngine()
void import('./start').then(({ start }) => start(starting))

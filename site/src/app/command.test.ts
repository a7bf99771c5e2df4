import { expect, it } from 'vitest'
import { first } from '../scenario/gallery/gallery'
import { commandOf } from './command'

const of = (more: object = {}) => ({ seed: 0, quick: false, effort: 1, ...more })

it.each([
  [first, 'quickstart', of(), 'jigsaw plan quickstart'],
  [first, 'quickstart', of({ seed: 3, quick: true }), 'jigsaw plan quickstart --seed 3 --quick'],
  [`${first}# mine`, 'quickstart', of({ effort: 16 }), 'jigsaw plan quickstart.yaml --effort 16'],
  ['', '../../$(rm -rf ~);</text>', of({ effort: 0 }), 'jigsaw plan rm-rf-text.yaml'],
])('names what makes a plan', (text, name, options, command) => {
  expect(commandOf(text, name, options)).toBe(command)
})

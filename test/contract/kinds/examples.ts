import { expect, it } from 'vitest'
import { EXAMPLES } from '../examples.ts'
import { problemsOfCoverage } from '../coverage.ts'
import type { Kind } from './kind.ts'

export const examples: Kind = ({ tools, newStage }) => {
  it('have examples that use every action and every id argument', async () => {
    expect(await problemsOfCoverage(await newStage(), tools, EXAMPLES)).toEqual([])
  })
}

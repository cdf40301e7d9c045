import { expect, it } from 'vitest'
import { problemsOfCoverage } from '../coverage.ts'
import type { Kind } from './kind.ts'

export const examples: Kind = ({ tools, performed }) => {
  it('have examples that use every action and every id argument', async () => {
    const given = Map.groupBy(await performed(), ({ call }) => call.tool)
    expect(
      tools.flatMap((tool) =>
        problemsOfCoverage(
          tool,
          given.get(tool)!.map(({ call }) => call.args),
        ),
      ),
    ).toEqual([])
  })
}

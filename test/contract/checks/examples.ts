import { expect, it } from 'vitest'
import { findCoverageProblems } from '../coverage.ts'
import type { ContractCheck } from './contract-check.ts'

export const checkExampleCoverage: ContractCheck = ({ tools, performed }) => {
  it('includes example calls for every action and every id argument of the tools', async () => {
    const given = Map.groupBy(await performed(), ({ call }) => call.tool)
    expect(
      tools.flatMap((tool) =>
        findCoverageProblems(
          tool,
          given.get(tool)!.map(({ call }) => call.args),
        ),
      ),
    ).toEqual([])
  })
}

import { beforeAll, describe, expect, it } from 'vitest'
import type { Tool } from '../../../src/kernel/tool.ts'
import { findJsonTextProblems, findMissingArgumentProblems, findUnknownArgumentProblems, findArgumentTypeProblems } from '../arguments.ts'
import { type Stage, withVerifiedAdmin } from '../stage.ts'
import type { ContractCheck } from './contract-check.ts'

export const checkArguments: ContractCheck = ({ tools, world, newStage, performed }) => {
  let stage: Stage
  beforeAll(async () => {
    stage = await withVerifiedAdmin(await newStage())
  })

  async function over(check: (stage: Stage, tool: Tool) => Promise<string[]>): Promise<string[]> {
    const problems: string[] = []
    for (const tool of tools) problems.push(...(await check(stage, tool)))
    return problems
  }

  describe('tool arguments', () => {
    it('rejects an unknown argument name and suggests the nearest known one', async () => {
      expect(await over(findUnknownArgumentProblems)).toEqual([])
    })

    it('lists all missing required arguments in one error', async () => {
      expect(await over(findMissingArgumentProblems)).toEqual([])
    })

    it("rejects a value of the wrong type with the argument's name, without an internal error", async () => {
      expect(await over(findArgumentTypeProblems)).toEqual([])
      expect(world().logged.filter((line) => line.includes('internal error'))).toEqual([])
    })

    it('parses JSON text wherever the schema declares an object or a list', async () => {
      // JSON text must be parsed even if an earlier call deleted the records that the arguments name.
      const calls = (await performed()).map(({ call }) => call)
      const there = await withVerifiedAdmin(calls[0]!.stage)
      const problems: string[] = []
      for (const [tool, made] of Map.groupBy(calls, (call) => call.tool)) {
        const given = made.map(({ args: sent }) => sent)
        problems.push(...(await findJsonTextProblems(there, tool, given)))
      }
      expect(problems).toEqual([])
    })
  })
}

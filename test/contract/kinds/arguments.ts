import { beforeAll, describe, expect, it } from 'vitest'
import type { Tool } from '../../../src/kernel/tool.ts'
import { problemsOfJsonText, problemsOfMissing, problemsOfNames, problemsOfTypes } from '../arguments.ts'
import { type Stage, withAdminLetIn } from '../stage.ts'
import type { Kind } from './kind.ts'

export const args: Kind = ({ tools, world, newStage, performed }) => {
  let stage: Stage
  beforeAll(async () => {
    stage = await withAdminLetIn(await newStage())
  })

  async function over(check: (stage: Stage, tool: Tool) => Promise<string[]>): Promise<string[]> {
    const problems: string[] = []
    for (const tool of tools) problems.push(...(await check(stage, tool)))
    return problems
  }

  describe('their arguments', () => {
    it('are refused where no tool has them, with the nearest name', async () => {
      expect(await over(problemsOfNames)).toEqual([])
    })

    it('are asked for where they are missing, together with all others', async () => {
      expect(await over(problemsOfMissing)).toEqual([])
    })

    it('are refused by name where they are of a wrong type, and break nothing', async () => {
      expect(await over(problemsOfTypes)).toEqual([])
      expect(world().logged.filter((line) => line.includes('internal error'))).toEqual([])
    })

    it('are read from JSON text wherever an object or a list is declared', async () => {
      // How arguments are read does not depend on whether they still name anything.
      const calls = (await performed()).map(({ call }) => call)
      const there = await withAdminLetIn(calls[0]!.stage)
      const problems: string[] = []
      for (const [tool, made] of Map.groupBy(calls, (call) => call.tool)) {
        const given = made.map(({ args: sent }) => sent)
        problems.push(...(await problemsOfJsonText(there, tool, given)))
      }
      expect(problems).toEqual([])
    })
  })
}

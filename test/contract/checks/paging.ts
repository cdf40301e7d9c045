import { describe, expect, it } from 'vitest'
import { type ExampleCall, exampleCallsAt } from '../examples.ts'
import { isPaged, findCursorProblems, findPageWalkProblems } from '../paging.ts'
import { prefixProblems } from '../example-runs.ts'
import { ORGANIZER_TOOLS } from '../registry.ts'
import { withAnotherParticipant } from '../stage.ts'
import type { ContractCheck } from './contract-check.ts'

/** Other actions of a tool that also lists take no limit. */
const listsRows = ({ tool, args }: ExampleCall) => !tool.findArgumentErrors({ ...args, limit: 1 }).some(({ path }) => path === 'limit')

export const checkPaging: ContractCheck = ({ tools, world, newStage }) => {
  const lists = tools.filter(isPaged)

  const pagedAll = async () => {
    const stage = await newStage()
    const colleague = await world().organizer({ at: stage.home })
    // Includes paged lists of other toolsets, since the checked toolset may have only one.
    const others = [...lists, ...ORGANIZER_TOOLS.filter((tool) => isPaged(tool) && !lists.includes(tool)).slice(0, 2)]
    const { person } = await withAnotherParticipant(stage, 'numbat')
    const paged = []
    for await (const call of exampleCallsAt(stage, lists)) {
      if (!listsRows(call)) continue
      const { scope } = call.tool
      const organizers = ['account', 'client', 'event'].includes(scope)
      const own = 'participantId' in call.args ? { participantId: person.participantIds[0] } : {}
      const elsewhere =
        scope === 'operator'
          ? { person: null, tools: lists }
          : organizers
            ? { person: colleague, tools: others }
            : { person, own, tools: lists }
      paged.push({ call, walk: await findPageWalkProblems(call), cursor: await findCursorProblems(call, elsewhere) })
    }
    return paged
  }
  let looking: ReturnType<typeof pagedAll> | undefined
  const paged = () => (looking ??= pagedAll())

  describe('paged lists', () => {
    it('returns the same rows of a list in pages of one row as in one request', async () => {
      expect(prefixProblems(await paged(), ({ walk }) => walk)).toEqual([])
    })

    it('rejects altered page cursors, and page cursors issued for another caller, list or filter', async () => {
      expect(prefixProblems(await paged(), ({ cursor }) => cursor)).toEqual([])
    })
  })
}

import { describe, expect, it } from 'vitest'
import { callsAt } from '../examples.ts'
import { isPaged, problemsOfCursor, problemsOfWalk } from '../paging.ts'
import { problemsIn } from '../performed.ts'
import { ORGANIZER_TOOLS } from '../registry.ts'
import { withAnotherPerson } from '../stage.ts'
import type { Kind } from './kind.ts'

export const paging: Kind = ({ tools, world, newStage }) => {
  const lists = tools.filter(isPaged)

  /** What is only read is as it was made for both. */
  const pagedAll = async () => {
    const stage = await newStage()
    const colleague = await world().organizer({ at: stage.home })
    // Beside their own lists, those of others: a toolset may have but one.
    const others = [...lists, ...ORGANIZER_TOOLS.filter((tool) => isPaged(tool) && !lists.includes(tool)).slice(0, 2)]
    const { person } = await withAnotherPerson(stage, 'numbat')
    const paged = []
    for await (const call of callsAt(stage, lists)) {
      const { scope } = call.tool
      const organizers = ['account', 'client', 'event'].includes(scope)
      const own = 'participantId' in call.args ? { participantId: person.participantIds[0] } : {}
      const elsewhere =
        scope === 'operator'
          ? { person: null, tools: lists }
          : organizers
            ? { person: colleague, tools: others }
            : { person, own, tools: lists }
      paged.push({ call, walk: await problemsOfWalk(call), cursor: await problemsOfCursor(call, elsewhere) })
    }
    return paged
  }
  let looking: ReturnType<typeof pagedAll> | undefined
  const paged = () => (looking ??= pagedAll())

  describe('their lists', () => {
    it('are walked one by one without loss or repetition, as they are read at once', async () => {
      expect(problemsIn(await paged(), ({ walk }) => walk)).toEqual([])
    })

    it('give cursors that open for nobody else, no other list, no other filters, and not with one letter altered', async () => {
      expect(problemsIn(await paged(), ({ cursor }) => cursor)).toEqual([])
    })
  })
}

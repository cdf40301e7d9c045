import { beforeAll, describe, expect, it } from 'vitest'
import { madeOnce, overExamples } from '../examples.ts'
import { isPaged, problemsOfCursor, problemsOfWalk } from '../paging.ts'
import { ORGANIZER_TOOLS } from '../registry.ts'
import { type Stage, withAnotherPerson } from '../stage.ts'
import type { Kind } from './kind.ts'

export const paging: Kind = ({ tools, world, newStage }) => {
  const lists = tools.filter(isPaged)

  // What is only read is as it was made for both.
  const made = madeOnce(lists)
  let stage: Stage
  beforeAll(async () => {
    stage = await newStage()
  })

  describe('their lists', () => {
    it('are walked one by one without loss or repetition, as they are read at once', async () => {
      expect(await overExamples(stage, lists, problemsOfWalk, made)).toEqual([])
    })

    it('give cursors that open for nobody else, no other list, no other filters, and not with one letter altered', async () => {
      const colleague = await world().organizer({ at: stage.home })
      // Beside their own lists, those of others: a toolset may have but one.
      const others = [...lists, ...ORGANIZER_TOOLS.filter((tool) => isPaged(tool) && !lists.includes(tool)).slice(0, 2)]
      const somebodyElse = await withAnotherPerson(stage, 'numbat')
      expect(
        await overExamples(
          stage,
          lists,
          (call) => {
            const { scope } = call.tool
            if (scope === 'operator') return problemsOfCursor(call, { person: null, tools: lists })
            const organizers = ['account', 'client', 'event'].includes(scope)
            if (organizers) return problemsOfCursor(call, { person: colleague, tools: others })
            const { person } = somebodyElse
            const own = 'participantId' in call.args ? { participantId: person.participantIds[0] } : {}
            return problemsOfCursor(call, { person, own, tools: lists })
          },
          made,
        ),
      ).toEqual([])
    })
  })
}

import { beforeAll, describe, expect, it } from 'vitest'
import { examplesOf, madeOnce } from '../examples.ts'
import { populate, problemsOfIds, problemsOfLeaks, type Witness, witnessOf } from '../isolation.ts'
import { type Stage, withAnotherPerson } from '../stage.ts'
import type { Kind } from './kind.ts'

/** Arguments that name what is at the event for everybody who is there. */
const THE_EVENTS = new Set(['companyId', 'companyIds', 'slotId'])

/** Somebody at the same event who lets others find them is exactly whom it is about. */
const MEANT_TO_BE_FOUND = 'recommend_participants told of numbat'

/** A participant has one registration or a few at one event; all else belongs to others. */
export const ownThings: Kind = ({ tools, world, newStage }) => {
  let own: Stage
  let others: { what: string; stage: Stage; shared?: ReadonlySet<string> }[]
  let petra: Witness
  const toldByIds: string[] = []

  beforeAll(async () => {
    own = await newStage({ tenant: 'wallaby' })
    others = [
      { what: 'somebody else at the event', stage: await withAnotherPerson(own, 'numbat'), shared: THE_EVENTS },
      { what: 'another client', stage: await newStage({ tenant: 'wallaby', word: 'bilby' }) },
      { what: 'another tenant', stage: await newStage({ tenant: 'quokka', word: 'quokka' }) },
    ]
    petra = witnessOf(own.person)
    const made = madeOnce(tools)
    for (const tool of tools) {
      toldByIds.push(...(await problemsOfIds(petra, own, [tool], others, made)))
      // Only then called: some calls leave nothing behind that an id could name.
      for (const { stage } of others) await populate(stage, [tool], made)
    }
  })

  describe('what belongs to others', () => {
    it('is as unknown as what never was, in every id argument of every tool', () => {
      expect(toldByIds).toEqual([])
    })

    it('was in no answer and no log line', async () => {
      for (const tool of tools) for (const example of examplesOf(tool)) await petra.ask(tool.name, await example(own))
      const words = others.map(({ stage }) => stage.word)
      const leaks = problemsOfLeaks(petra.told, world().logged, words)
      expect(leaks.filter((leak) => leak !== MEANT_TO_BE_FOUND)).toEqual([])
      expect(world().logged.filter((line) => line.includes('internal error'))).toEqual([])
    })
  })
}

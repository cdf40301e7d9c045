import { beforeAll, describe, expect, it } from 'vitest'
import { getExamples, cacheExamples } from '../examples.ts'
import {
  type ForeignStage,
  makeEveryExampleCall,
  findForeignIdProblems,
  findLeakedWords,
  type RecordingCaller,
  recordAnswers,
} from '../isolation.ts'
import { type Stage, withAnotherParticipant } from '../stage.ts'
import type { ContractCheck } from './contract-check.ts'

/** Arguments that name records which every participant of the event may see. */
const EVENT_WIDE_ARGUMENTS = new Set(['companyId', 'companyIds', 'slotId'])

/** The other participant (word `numbat`) opted in to recommendations, so this finding is expected. */
const EXPECTED_FINDING = 'recommend_participants leaked numbat'

/** A participant may see only their own registrations at one event. */
export const checkOwnRecords: ContractCheck = ({ tools, world, newStage }) => {
  let own: Stage
  let others: ForeignStage[]
  let petra: RecordingCaller
  const foreignIdProblems: string[] = []

  beforeAll(async () => {
    own = await newStage({ tenant: 'wallaby' })
    others = [
      { what: 'another participant of the event', stage: await withAnotherParticipant(own, 'numbat'), shared: EVENT_WIDE_ARGUMENTS },
      { what: 'another client', stage: await newStage({ tenant: 'wallaby', word: 'bilby' }) },
      { what: 'another tenant', stage: await newStage({ tenant: 'quokka', word: 'quokka' }) },
    ]
    petra = recordAnswers(own.person)
    const made = cacheExamples(tools)
    for (const tool of tools) {
      foreignIdProblems.push(...(await findForeignIdProblems(petra, own, [tool], others, made)))
      // Creates data for the other participants only after the id check, because some example calls delete the record that the id names.
      for (const { stage } of others) await makeEveryExampleCall(stage, [tool], made)
    }
  })

  describe('records of other participants', () => {
    it("refuses ids of other participants' records like ids that do not exist, in every id argument of every tool", () => {
      expect(foreignIdProblems).toEqual([])
    })

    it('shows no data of other participants in any tool answer or log line', async () => {
      for (const tool of tools) for (const example of getExamples(tool)) await petra.ask(tool.name, await example(own))
      const words = others.map(({ stage }) => stage.word)
      const leaks = findLeakedWords(petra.answers, world().logged, words)
      expect(leaks.filter((leak) => leak !== EXPECTED_FINDING)).toEqual([])
      expect(world().logged.filter((line) => line.includes('internal error'))).toEqual([])
    })
  })
}

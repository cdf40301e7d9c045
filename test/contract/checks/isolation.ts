import { beforeAll, describe, expect, it } from 'vitest'
import type { Tool } from '../../../src/kernel/tool.ts'
import { getExamples, cacheExamples } from '../examples.ts'
import {
  archivedScopeOf,
  foreignScopeOf,
  makeEveryExampleCall,
  findForeignCodeProblems,
  findForeignIdProblems,
  findLeakedWords,
  type RecordingCaller,
  recordAnswers,
} from '../isolation.ts'
import { atSiblingEvent, verifyOrganizerOnce, type Stage } from '../stage.ts'
import type { ContractCheck } from './contract-check.ts'

/** Arguments that name records of the client, which all of its events use. */
const CLIENT_WIDE_ARGUMENTS = new Set(['supplierId', 'rubricId'])

export const checkIsolation: ContractCheck = ({ tools, world, newStage }) => {
  let own: Stage
  let neighbour: Stage
  let abroad: Stage
  let furtherAbroad: Stage
  /** The caller belongs to both of these clients: `dark` has assistants turned off, `closed` is inactive. */
  let dark: Stage
  let closed: Stage

  /** Administers the client of `own`, and belongs to the two disabled clients. */
  let olga: RecordingCaller
  /** Staff of one event, without any other access. */
  let helper: RecordingCaller

  const made = cacheExamples(tools)
  const foreignIdProblems: string[] = []

  const foreign = () => [
    foreignScopeOf('another client', neighbour),
    archivedScopeOf("another client's archived event", neighbour),
    foreignScopeOf('another tenant', abroad),
    foreignScopeOf('a third tenant', furtherAbroad),
  ]
  const scoped = (scope: Tool['scope']) => tools.filter((tool) => tool.scope === scope)

  beforeAll(async () => {
    own = await newStage({ tenant: 'wallaby' })
    neighbour = await newStage({ tenant: 'wallaby', word: 'numbat' })
    abroad = await newStage({ tenant: 'quokka', word: 'quokka' })
    furtherAbroad = await newStage({ tenant: 'bilby', word: 'bilby' })
    dark = await newStage({ tenant: 'wallaby', word: 'potoroo' })
    closed = await newStage({ tenant: 'wallaby', word: 'dunnart' })
    const switched = (column: string, { home }: Stage) =>
      world().database.pool.query(`update clients set ${column} = false, name = 'Switched off' where tenant_id = $1 and id = $2`, [
        home.tenantId,
        home.clientId,
      ])
    await switched('ai_assistants_allowed', dark)
    await switched('active', closed)
    olga = recordAnswers(await verifyOrganizerOnce(world(), await world().organizer({ at: [own.home, dark.home, closed.home] })))
    helper = recordAnswers(await verifyOrganizerOnce(world(), await world().organizer({ staffOf: own.home, staffRole: 'manager' })))
    const elsewhere = [
      { what: 'another event', stage: atSiblingEvent(own), shared: CLIENT_WIDE_ARGUMENTS },
      { what: 'another client', stage: neighbour },
      { what: 'another tenant', stage: abroad },
    ]
    for (const tool of tools) {
      foreignIdProblems.push(...(await findForeignIdProblems(olga, own, [tool], elsewhere, made)))
      // Creates data at the foreign stage only after the id check, because some example calls delete the record that the id names.
      await makeEveryExampleCall(neighbour, [tool], made)
    }
  })

  describe('events and clients without access', () => {
    it('refuses event and client codes of other clients like codes that do not exist, by every tool that takes a code', async () => {
      expect(await findForeignCodeProblems(olga, own, tools, foreign(), made)).toEqual([])
    })

    it("refuses the client's other events to a user who is staff of one event", async () => {
      const sibling = { what: 'another event', eventCode: own.sibling.eventCode }
      expect(await findForeignCodeProblems(helper, own, scoped('event'), [sibling, ...foreign()], made)).toEqual([])
    })
  })

  describe('ids of records without access', () => {
    it('refuses ids of records without access like ids that do not exist, in every id argument of every tool', () => {
      expect(foreignIdProblems).toEqual([])
    })
  })

  describe('disabled clients', () => {
    const turnedOff = () => `AI assistant access is turned off for client ${dark.home.clientCode}`

    it('answers every tool call of members of a disabled client with the message that assistant access is turned off', async () => {
      const { eventCode, clientCode } = dark.home
      for (const tool of [...scoped('event'), ...scoped('client')]) {
        const codes = tool.scope === 'event' ? [{ eventCode }, { eventCode, clientCode }] : [{ clientCode }]
        for (const sent of codes) expect((await olga.ask(tool.name, sent)).content[0]!.text).toBe(turnedOff())
      }
    })

    it('hides the events of an inactive client as if they did not exist', async () => {
      expect(await findForeignCodeProblems(olga, own, scoped('event'), [foreignScopeOf('an inactive client', closed)], made)).toEqual([])
    })

    it('allows at an inactive client only the tools that may reactivate the client', async () => {
      const { clientCode } = closed.home
      for (const tool of scoped('client')) {
        const { isError, _meta } = await olga.ask(tool.name, { clientCode })
        const refusal = isError ? _meta!['lanyard/error'] : null
        if (tool.servesInactiveClients) expect(refusal?.code).not.toBe('precondition_failed')
        else
          expect(refusal).toMatchObject({
            code: 'precondition_failed',
            message: expect.stringContaining(`Client ${clientCode} is inactive`),
          })
      }
    })
  })

  describe('archived events of a client', () => {
    it('finds archived events for organizers with access to these events', async () => {
      const { eventCode } = archivedScopeOf('own', own)
      for (const tool of scoped('event')) {
        expect((await olga.ask(tool.name, { eventCode })).content[0]!.text).not.toContain(`No event ${eventCode}`)
      }
    })
  })

  describe('words in the data of other clients', () => {
    const words = () => [neighbour, abroad, furtherAbroad, dark, closed].map(({ word }) => word)

    it('shows no words from the data of other clients in any answer, error message or log line of a tool call', async () => {
      for (const tool of tools) {
        for (const [index, example] of getExamples(tool).entries()) {
          const { isError } = await olga.ask(tool.name, await getExamples(tool, made)[index]!(own))
          // An earlier call may have removed the record that this example needs.
          if (isError) await olga.ask(tool.name, await example(own))
        }
        if (tool.scope === 'account') for (const example of getExamples(tool)) await helper.ask(tool.name, await example(own))
      }
      expect(olga.answers.length).toBeGreaterThan(10 * tools.length)
      expect(findLeakedWords([...olga.answers, ...helper.answers], world().logged, words())).toEqual([])
      expect(world().logged.filter((line) => line.includes('internal error'))).toEqual([])
    })
  })
}

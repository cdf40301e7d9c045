import { beforeAll, describe, expect, it } from 'vitest'
import type { Tool } from '../../../src/kernel/tool.ts'
import { examplesOf, madeOnce } from '../examples.ts'
import { archivedOf, placeOf, populate, problemsOfCodes, problemsOfIds, problemsOfLeaks, type Witness, witnessOf } from '../isolation.ts'
import { atSibling, letInOnce, type Stage } from '../stage.ts'
import type { Kind } from './kind.ts'

export const isolation: Kind = ({ tools, world, newStage }) => {
  let own: Stage
  /** Same tenant, another client. */
  let neighbour: Stage
  let abroad: Stage
  let furtherAbroad: Stage
  /** Clients that the caller belongs to, with assistants off and inactive. */
  let dark: Stage
  let closed: Stage

  /** Administers the client of the stage, and belongs to the two that are switched off. */
  let olga: Witness
  /** Staff of one event and of nothing else. */
  let helper: Witness

  const made = madeOnce(tools)
  const toldByIds: string[] = []

  const foreign = () => [
    placeOf('another client', neighbour),
    archivedOf("another client's archived event", neighbour),
    placeOf('another tenant', abroad),
    placeOf('a third tenant', furtherAbroad),
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
    olga = witnessOf(await letInOnce(world(), await world().organizer({ at: [own.home, dark.home, closed.home] })))
    helper = witnessOf(await letInOnce(world(), await world().organizer({ staffOf: own.home, staffRole: 'manager' })))
    const elsewhere = [
      { what: 'another event', stage: atSibling(own) },
      { what: 'another client', stage: neighbour },
      { what: 'another tenant', stage: abroad },
    ]
    for (const tool of tools) {
      toldByIds.push(...(await problemsOfIds(olga, own, [tool], elsewhere, made)))
      // Only then called: some calls leave nothing behind that an id could name.
      for (const stage of [neighbour, abroad]) await populate(stage, [tool], made)
    }
  })

  describe('a place of somebody else', () => {
    it('is as unknown as one that never was, to every tool that takes a code', async () => {
      expect(await problemsOfCodes(olga, own, tools, foreign(), made)).toEqual([])
    })

    it('includes the other events of the client, for staff of one event', async () => {
      const sibling = { what: 'another event', eventCode: own.sibling.eventCode }
      expect(await problemsOfCodes(helper, own, scoped('event'), [sibling, ...foreign()], made)).toEqual([])
    })
  })

  describe('an id of elsewhere', () => {
    it('is as unknown as one that never was, in every argument of every tool', () => {
      expect(toldByIds).toEqual([])
    })
  })

  describe('a client that is switched off', () => {
    const turnedOff = () => `AI assistant access is turned off for client ${dark.home.clientCode}`

    it('with assistants off says so to its members, for every tool at it or at its events', async () => {
      const { eventCode, clientCode } = dark.home
      for (const tool of [...scoped('event'), ...scoped('client')]) {
        const codes = tool.scope === 'event' ? [{ eventCode }, { eventCode, clientCode }] : [{ clientCode }]
        for (const sent of codes) expect((await olga.ask(tool.name, sent)).content[0]!.text).toBe(turnedOff())
      }
    })

    it('when inactive hides its events as if they never were', async () => {
      expect(await problemsOfCodes(olga, own, scoped('event'), [placeOf('an inactive client', closed)], made)).toEqual([])
    })

    it('when inactive serves only the tools that can make it active again', async () => {
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

  describe('an archived event', () => {
    it('is still found by those who can work on it', async () => {
      const { eventCode } = archivedOf('own', own)
      for (const tool of scoped('event')) {
        expect((await olga.ask(tool.name, { eventCode })).content[0]!.text).not.toContain(`No event ${eventCode}`)
      }
    })
  })

  describe('words from elsewhere', () => {
    const words = () => [neighbour, abroad, furtherAbroad, dark, closed].map(({ word }) => word)

    it('were in no answer, error or log line of all these calls, nor of any that succeeds', async () => {
      for (const tool of tools) {
        for (const [index, example] of examplesOf(tool).entries()) {
          const { isError } = await olga.ask(tool.name, await examplesOf(tool, made)[index]!(own))
          // Another call may have taken away meanwhile what it needs.
          if (isError) await olga.ask(tool.name, await example(own))
        }
        if (tool.scope === 'account') for (const example of examplesOf(tool)) await helper.ask(tool.name, await example(own))
      }
      expect(olga.told.length).toBeGreaterThan(10 * tools.length)
      expect(problemsOfLeaks([...olga.told, ...helper.told], world().logged, words())).toEqual([])
      expect(world().logged.filter((line) => line.includes('internal error'))).toEqual([])
    })
  })
}

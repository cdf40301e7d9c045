import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { soakRounds } from '../../../test/support/soak.ts'
import { newWorld, type ClientHandle, type World } from '../../../test/support/world.ts'
import { createPendingAuditEntry } from '../audit.ts'
import type { Db } from '../columns.ts'
import { defineRecord, type RecordEdit, editRecord, saveEdit, lockRecord, planEdit } from '../records.ts'

const CLIENT = defineRecord({
  table: 'clients',
  kind: 'client',
  noun: 'Client',
  name: ({ code }) => code,
  primaryKey: ['tenant_id', 'id'],
  fields: {
    name: 'name',
    establishedIn: { column: 'established_in', empty: null },
    embedHosts: 'embed_hosts',
    billing: { column: 'billing', json: 'merged', empty: {} },
    taxRegistrations: { column: 'tax_registrations', json: 'whole', empty: [] },
    confirmThresholds: { columns: { recipients: 'confirm_recipients', deletes: 'confirm_deletes' } },
  },
})

type ClientEdit = RecordEdit<typeof CLIENT>

let world: World
let place: ClientHandle

beforeAll(async () => {
  world = await newWorld()
})
afterAll(() => world.end())

const keyOf = ({ tenantId, clientId }: ClientHandle) => ({ tenant_id: tenantId, id: clientId })
const read = async (db: Db = world.database.write) =>
  db.selectFrom('clients').selectAll().where('tenant_id', '=', place.tenantId).where('id', '=', place.clientId).executeTakeFirstOrThrow()

/** One tool call: its own transaction, the locked row, the edit and the audit draft. */
const edit = (given: ClientEdit, along = {}) =>
  world.database.transact(async (db) => {
    const ctx = { db, audit: createPendingAuditEntry() }
    const before = await lockRecord(ctx, CLIENT, keyOf(place))
    return { ...(await editRecord(ctx, CLIENT, before!, given, along)), targets: ctx.audit.targets }
  })

describe('record edits', () => {
  beforeAll(async () => {
    place = await world.client({ name: 'Acme' })
  })

  it('changes the given fields of a record, increases its revision by one and returns the values before and after', async () => {
    const before = await read()
    const { row, changed, targets } = await edit({ name: 'Acme Events', embedHosts: ['a.example'], confirmThresholds: { deletes: 5 } })
    expect(changed).toEqual(['name', 'embedHosts', 'confirmThresholds'])
    expect(row).toMatchObject({ name: 'Acme Events', confirm_recipients: 50, confirm_deletes: 5, revision: before.revision + 1 })
    expect(row.updated_at.getTime()).toBeGreaterThan(before.updated_at.getTime())
    expect(targets).toEqual([
      {
        kind: 'client',
        id: place.clientId,
        fields: {
          name: { before: 'Acme', after: 'Acme Events' },
          embedHosts: { before: [], after: ['a.example'] },
          confirmThresholds: { before: { recipients: 50, deletes: 20 }, after: { recipients: 50, deletes: 5 } },
        },
      },
    ])
  })

  it('writes and audits nothing, not even additional columns, if an edit changes no value', async () => {
    const before = await read()
    const { row, changed, targets } = await edit(
      { name: before.name, billing: {}, taxRegistrations: [], embedHosts: ['a.example'], clear: ['establishedIn'] },
      { default_currency: 'CHF' },
    )
    expect([changed, targets]).toEqual([[], []])
    expect(row).toEqual(before)
    expect(await read()).toEqual(before)
  })

  it('merges the keys of a JSON field: omitted and undefined keys stay, null removes a key', async () => {
    await edit({ billing: { legalName: 'Acme Ltd', address: 'Main Street 1' } })
    expect((await edit({ billing: { address: 'Side Street 2', bankDetails: undefined } })).row.billing).toEqual({
      legalName: 'Acme Ltd',
      address: 'Side Street 2',
    })
    const taken = await edit({ billing: { address: null, invoiceFooter: null } })
    expect([taken.row.billing, taken.changed]).toEqual([{ legalName: 'Acme Ltd' }, ['billing']])
    expect((await edit({ billing: { bankDetails: null } })).changed).toEqual([])
    expect((await edit({ billing: { invoiceFooter: 'Thanks' }, clear: ['billing'] })).row.billing).toEqual({ invoiceFooter: 'Thanks' })
    expect((await edit({ clear: ['billing'] })).row.billing).toEqual({})
  })

  it('replaces a list field as a whole, compares it by value, and clears nullable fields', async () => {
    const registration = { country: 'DE', number: 'DE123456789', from: '2026-01-01' }
    expect((await edit({ taxRegistrations: [registration], establishedIn: 'DE' })).changed).toEqual(['establishedIn', 'taxRegistrations'])
    const turned = { from: '2026-01-01', number: 'DE123456789', region: undefined, country: 'DE' }
    expect((await edit({ taxRegistrations: [turned] })).changed).toEqual([])
    const { row, changed } = await edit({ clear: ['establishedIn', 'taxRegistrations'] })
    expect([row.established_in, row.tax_registrations, changed]).toEqual([null, [], ['establishedIn', 'taxRegistrations']])
    await expect(edit({ establishedIn: 'FR', clear: ['establishedIn'] })).rejects.toMatchObject({
      code: 'invalid_arguments',
      details: { fields: [{ path: 'establishedIn' }] },
    })
  })

  it('rejects an edit with an outdated revision, and reports the current one', async () => {
    const { revision } = await read()
    await edit({ name: 'Moved on' })
    await expect(edit({ name: 'Too late', ifRevision: revision })).rejects.toMatchObject({
      code: 'conflict',
      message: `Client ${place.clientCode} is at revision ${revision + 1}, not ${revision}: read it again and repeat the edit on what it says now`,
      details: { reason: 'movedOn' },
    })
    expect((await read()).name).toBe('Moved on')
  })

  it('rejects an edit if the row was changed since it was read without a lock', async () => {
    const stale = await read()
    const planned = planEdit(CLIENT, stale, { name: 'From the past' })
    await edit({ embedHosts: ['b.example'] })
    const ctx = { db: world.database.write, audit: createPendingAuditEntry() }
    await expect(saveEdit(ctx, planned)).rejects.toMatchObject({ code: 'conflict', details: { reason: 'movedOn' } })
    expect(ctx.audit.targets).toEqual([])
    expect(await read()).toMatchObject({ name: stale.name, embed_hosts: ['b.example'] })
  })
})

describe('fifty concurrent writers of one record', () => {
  const WRITERS = 50
  const EDITS = soakRounds(10)

  beforeAll(async () => {
    place = await world.client({ name: '0' })
  })

  const together = <T>(run: (writer: number) => Promise<T>) => Promise.all(Array.from({ length: WRITERS }, (_, writer) => run(writer)))

  it('keeps all changes of fifty concurrent writers if each changes a different key', async () => {
    const start = (await read()).revision
    await together(async (writer) => {
      for (let i = 1; i <= EDITS; i++) await edit({ billing: { [`writer${writer}`]: i } } as ClientEdit)
    })
    const { billing, revision } = await read()
    expect(billing).toEqual(Object.fromEntries(Array.from({ length: WRITERS }, (_, writer) => [`writer${writer}`, EDITS])))
    expect(revision).toBe(start + WRITERS * EDITS)
  })

  /** Reads, adds one and writes in separate transactions, as a user with the record on screen does. */
  const addOne = async (guarded: boolean) => {
    const { name, revision } = await read()
    return edit({ name: String(Number(name) + 1), ...(guarded ? { ifRevision: revision } : {}) }).then(
      ({ changed }) => (changed.length > 0 ? 'kept' : 'same'),
      (error: { details?: { reason?: string } }) => (error.details?.reason === 'movedOn' ? 'refused' : Promise.reject(error as Error)),
    )
  }

  it('loses no update of fifty concurrent writers silently if each sends the revision it read', async () => {
    const outcomes = (await together(async () => Promise.all([addOne(true), addOne(true)]))).flat()
    const kept = outcomes.filter((outcome) => outcome === 'kept').length
    expect(kept).toBeGreaterThan(0)
    expect(kept + outcomes.filter((outcome) => outcome === 'refused').length).toBe(outcomes.length)
    expect((await read()).name).toBe(String(kept))
  })

  it('loses updates of concurrent writers if they do not send the revision', async () => {
    await edit({ name: '0' })
    await together(() => addOne(false))
    expect(Number((await read()).name)).toBeLessThan(WRITERS)
  })
})

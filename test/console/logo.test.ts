import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { signedInVisitor, type Visitor } from '../support/visitor.ts'
import { newWorld, type World } from '../support/world.ts'

const SETTINGS = '/console/clients/acme/settings'
// The smallest valid PNG: one transparent pixel.
const PIXEL = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==', 'base64')

let world: World
let served: Served
let admin: Visitor
beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  const acme = await world.client({ code: 'acme' })
  const olga = await world.organizer({ at: acme })
  served = await serve(world)
  admin = await signedInVisitor(world, served, olga)
})
afterAll(() => world.end())

const picture = (bytes: Uint8Array<ArrayBuffer>, name = 'logo.png') => ({ logo: new File([bytes], name, { type: 'image/png' }) })
const send = (files: Record<string, File>, fields = {}) => admin.post(`${SETTINGS}/logo`, fields, { from: SETTINGS, files })
const brand = async () => (await world.database.pool.query<{ brand: object }>('select brand from clients')).rows[0]!.brand
const shown = async () => /class="logo-shown" src="([^"]+)"/.exec((await admin.get(SETTINGS)).html)?.[1]?.replaceAll('&amp;', '&')

describe('client logo', () => {
  it('uploads, shows, replaces and removes the client logo', async () => {
    expect((await send(picture(new Uint8Array(PIXEL)))).location).toContain('done=saved')
    const first = (await shown())!
    const answer = await fetch(first)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png'])
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(PIXEL)

    expect((await send(picture(new Uint8Array(PIXEL), 'other.png'))).status).toBe(303)
    expect(await shown()).toContain('other.png')
    expect((await fetch(first)).status).toBe(404)

    expect((await send({}, { remove: 'yes' })).status).toBe(303)
    expect([await shown(), await brand()]).toEqual([undefined, {}])
  })

  it('keeps the logo when other settings are saved, and the colours when the logo changes', async () => {
    await send(picture(new Uint8Array(PIXEL)))
    const logo = await brand()
    await world.database.pool.query(`update clients set brand = brand || '{"color":"#336699"}'`)
    await send(picture(new Uint8Array(PIXEL)))
    expect(await brand()).toMatchObject({ color: '#336699' })
    expect(await brand()).not.toEqual(logo)
  })

  it('rejects a logo file unless the content is an image of an allowed size', async () => {
    const before = await brand()
    const text = await send(picture(new TextEncoder().encode('<svg onload="alert(1)">')))
    expect(text.status).toBe(400)
    const large = await send(picture(new Uint8Array(Buffer.concat([PIXEL, Buffer.alloc(2_100_000)]))))
    expect(large.status).toBe(400)
    const none = await send({})
    expect([none.status, none.text.includes('Choose a file first.')]).toEqual([400, true])
    expect(await brand()).toEqual(before)
  })

  it('lets only administrators change the logo, with a valid CSRF token', async () => {
    const forged = await admin.post(`${SETTINGS}/logo`, {}, { csrf: 'wrong', files: picture(new Uint8Array(PIXEL)) })
    expect(forged.status).toBe(400)
    const manager = await world.organizer({ role: 'manager', at: { ...(await placeOf()) } })
    const other = await signedInVisitor(world, served, manager)
    expect((await other.post(`${SETTINGS}/logo`, {}, { from: SETTINGS, files: picture(new Uint8Array(PIXEL)) })).status).toBe(403)
  })
})

async function placeOf() {
  const { rows } = await world.database.pool.query<{ tenant_id: number; id: string }>('select tenant_id, id from clients')
  return { tenantId: rows[0]!.tenant_id, tenantCode: 'demo', clientId: rows[0]!.id, clientCode: 'acme' }
}

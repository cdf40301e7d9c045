import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startDocuSign } from '../support/docusign-server.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { createSigningFixtures } from '../support/signing.ts'
import { newWorld, type World } from '../support/world.ts'

const PATH = '/api/esign/docusign/webhook'

let docusign: Awaited<ReturnType<typeof startDocuSign>>
let world: World
let served: Served
let envelopeRef: string

beforeAll(async () => {
  docusign = await startDocuSign()
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  const { settings } = docusign
  served = await serve(world, {
    env: {
      LANYARD_ESIGN_PROVIDER: 'docusign',
      LANYARD_DOCUSIGN_BASE_URL: settings.baseUrl,
      LANYARD_DOCUSIGN_ACCOUNT_ID: settings.accountId,
      LANYARD_DOCUSIGN_INTEGRATION_KEY: settings.integrationKey,
      LANYARD_DOCUSIGN_USER_ID: settings.userId,
      LANYARD_DOCUSIGN_PRIVATE_KEY: settings.privateKey.reveal(),
      LANYARD_DOCUSIGN_CONNECT_SECRET: settings.connectSecret.reveal(),
    },
  })
  const place = await world.event({ startsOn: '2027-06-10' })
  const { contractId } = await createSigningFixtures(world, place).contract()
  envelopeRef = 'envelope-of-ours'
  await world.database.pool.query(
    `insert into signature_envelopes (tenant_id, event_id, id, contract_id, version_sha256, document_file_id, provider, provider_ref, status,
       expires_at, created_by)
     values ($1, $2, $3, $4, $5, $3, 'docusign', $6, 'sent', lanyard_now() + interval '14 days', 'test')`,
    [place.tenantId, place.eventId, '0'.repeat(24), contractId, 'a'.repeat(64), envelopeRef],
  )
})
afterAll(async () => {
  await world.end()
  await docusign.stop()
})

const post = async (at: Served, body: string, signature: string | null) =>
  (
    await fetch(at.url(PATH), {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...(signature === null ? {} : { 'x-docusign-signature-1': signature }) },
    })
  ).status
/** Calls that read the state of an envelope from DocuSign. */
const countReads = async () => {
  const { rows } = await world.database.pool.query<{ n: number }>(
    `select count(*)::int as n from outside_calls where kind = 'docusign-read'`,
  )
  return rows[0]!.n
}

describe('webhook of DocuSign', () => {
  it("reads the envelope's status from DocuSign after a signed notification, also if the notification is replayed", async () => {
    const { body, signature } = docusign.notify(envelopeRef, 'envelope-completed')
    expect([await post(served, body, signature), await countReads()]).toEqual([200, 1])
    expect([await post(served, body, signature), (await countReads()) >= 1]).toEqual([200, true])
    // The notification alone changes nothing: the server first requests the state from DocuSign.
    const { rows } = await world.database.pool.query('select status from signature_envelopes')
    expect(rows).toEqual([{ status: 'sent' }])
  })

  it('refuses a DocuSign notification with a changed body, a wrong signature or no signature', async () => {
    const before = await countReads()
    const { body, signature } = docusign.notify(envelopeRef, 'envelope-completed')
    expect(await post(served, body.replace('completed', 'voided'), signature)).toBe(401)
    expect(await post(served, body, Buffer.alloc(32).toString('base64'))).toBe(401)
    expect(await post(served, body, null)).toBe(401)
    expect(await post(served, 'x'.repeat(6 * 1024 * 1024), signature).catch(() => 401)).toBe(401)
    expect(await countReads()).toBe(before)
  })

  it('accepts a DocuSign notification about an unknown envelope without a request to DocuSign', async () => {
    const before = await countReads()
    const { body, signature } = docusign.notify('envelope-of-others', 'envelope-completed')
    expect([await post(served, body, signature), await countReads()]).toEqual([200, before])
    expect(served.logged.some((line) => line.includes('an envelope that is not ours'))).toBe(true)
  })

  it('returns 404 for the DocuSign webhook without DocuSign settings', async () => {
    const plain = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
    const { body, signature } = docusign.notify(envelopeRef, 'envelope-completed')
    expect(await post(await serve(plain), body, signature)).toBe(404)
    await plain.end()
  })
})

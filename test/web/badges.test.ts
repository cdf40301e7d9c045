import { createPublicKey, verify } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { getBadgePublicKey } from '../../src/kernel/badge-signature.ts'
import { parseBadgeIds } from '../../src/domains/exhibitors/badge-payload.ts'
import { signInVisitor } from '../support/own-pages.ts'
import { readPdfText } from '../support/pdf-text.ts'
import { readQrInPdf, readQrPicture } from '../support/qr-reader.ts'
import { buildEventPath } from '../support/registration-form.ts'
import { openSalesScenario, type SalesScenario, WORKED_EXAMPLE } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { signedInVisitor, type Visitor } from '../support/visitor.ts'

const EMAIL = 'ada@example.org'
const SECTIONS = {
  ...WORKED_EXAMPLE,
  emails: [
    {
      code: 'welcome',
      name: 'Welcome',
      trigger: 'registration.completed',
      subject: 'Welcome',
      blocks: [
        { id: 'badge', type: 'qrBadge' },
        { id: 'sum', type: 'orderSummary' },
      ],
    },
  ],
  customFields: [
    { code: 'diet', name: 'Diet', responseType: 'choice', choices: [{ code: 'vegan', name: 'Vegan food' }] },
    {
      code: 'languages',
      name: 'Languages',
      responseType: 'multiChoice',
      choices: ['de', 'fr'].map((code) => ({ code, name: code.toUpperCase() })),
    },
  ],
}
const UID_NAME = 'UID:0000000000000000'

let scenario: SalesScenario
let served: Served
let desk: Visitor
let ada: Visitor
let badgeId: string
let pdfPath: string

beforeAll(async () => {
  scenario = await openSalesScenario(SECTIONS, { baseUrl: await chooseFreeBaseUrl() })
  served = await serve(scenario.world)
  const { world, event } = scenario
  const data = {
    '@participant.firstName': 'Ada',
    '@participant.lastName': 'Berger',
    '@participant.email': EMAIL,
    '@participant.company': 'Stadtwerke; Linden, KG',
  }
  const { participant } = await scenario.register({ pass: 1 }, { data, sendConfirmation: true })
  badgeId = participant.badgeId
  await world.database.pool.query(
    `update participants set job_title = $2, custom_field_responses = '{"diet": "vegan", "languages": ["de", "fr"]}' where id = $1`,
    [participant.id, UID_NAME],
  )
  desk = await signedInVisitor(world, served, await world.organizer({ at: event }))
  ada = await signInVisitor(world, served, event, EMAIL)
  pdfPath = `/console/events/${event.clientCode}/${event.eventCode}/participants/${participant.id}/badge.pdf`
})
afterAll(() => scenario.world.end())

const design = (badge: object) => scenario.publish({ ...SECTIONS, badge })
const download = async (who: Visitor, path: string): Promise<Buffer> => {
  const cookie = [...who.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  return Buffer.from(await (await fetch(served.url(path), { headers: { cookie } })).arrayBuffer())
}
const printed = async () => {
  const pdf = await download(desk, pdfPath)
  return { lines: readPdfText(pdf).split('\n'), code: await readQrInPdf(pdf) }
}
const picture = async () => readQrPicture(await download(ada, `${buildEventPath(scenario.event)}/registration/badge.png`))
const readId = (text: string) =>
  parseBadgeIds(text, [{ provider: 'own', delimiter: '|', segmentIndex: 0 }], served.baseUrl).map(({ id }) => id)

describe('printed badges and their codes', () => {
  it("encodes the signed badge id on printed badges, in the badge picture on the participant's page and in emails", async () => {
    await design({ provider: 'own' })
    const { lines, code } = await printed()
    expect(lines).toEqual([`Event ${scenario.event.eventCode}`, 'Ada Berger', 'Stadtwerke; Linden, KG'])
    const [id, event, signature] = code.text.split('|')
    expect([id, event, signature!.length, code.ecc]).toEqual([badgeId, scenario.event.eventCode, 86, 'M'])
    const x = getBadgePublicKey(scenario.world.services.keys, scenario.event.eventId)
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
    expect(verify(null, Buffer.from(`${id}|${event}`), key, Buffer.from(signature!, 'base64url'))).toBe(true)
    expect(await picture()).toEqual(code)
    await scenario.call('resend_participant_confirmation', { participantId: EMAIL })
    const { rows } = await scenario.world.database.pool.query<{ bytes: Buffer }>(
      `select bytes from message_attachments where name = 'badge.png' order by message_id desc limit 1`,
    )
    expect(await readQrPicture(rows[0]!.bytes)).toEqual(code)
  })

  it('prints the badge fields in the sequence of the badge design, with the display names of chosen answers', async () => {
    await design({
      size: 'cr80',
      fields: [
        '@participant.company',
        '@participant.firstName',
        '@participant.lastName',
        '@custom.diet',
        '@custom.languages',
        '@product.pass',
        '@product.dinner',
      ],
    })
    const { lines, code } = await printed()
    expect(lines.slice(1)).toEqual(['Stadtwerke; Linden, KG', 'Ada Berger', 'Vegan food', 'DE, FR', 'Pass'])
    expect(readId(code.text)).toEqual([badgeId])
    await design({ fields: ['@participant.firstName'] })
    expect((await printed()).lines.slice(1)).toEqual(['Ada'])
  })

  it('encodes a web address or a vCard on badges if the badge design requires that, readable by every scanner of the event', async () => {
    await design({ qr: { content: 'url', ecc: 'H' } })
    const address = { text: `${served.baseUrl}/b/${badgeId}`, ecc: 'H' }
    expect([(await printed()).code, await picture()]).toEqual([address, address])
    expect((await desk.get(new URL(address.text).pathname)).status).toBe(200)

    await design({ qr: { content: 'vcard' } })
    const bare = (await picture()).text
    expect(bare).not.toContain('Stadtwerke')
    expect(readId(bare)).toEqual([badgeId])
    // A vCard contains only printed fields. A job title that looks like an id does not replace the id, also without line breaks.
    await design({ fields: ['@participant.company', '@participant.jobTitle'], qr: { content: 'vcard' } })
    const { text } = (await printed()).code
    expect(text.split('\r\n')).toEqual([
      'BEGIN:VCARD',
      'VERSION:3.0',
      `UID:${badgeId}`,
      'N:Berger;Ada;;;',
      'FN:Ada Berger',
      'ORG:Stadtwerke\\; Linden\\, KG',
      `TITLE:${UID_NAME}`,
      'END:VCARD',
    ])
    for (const scanned of [text, text.replaceAll('\r\n', '')]) expect(readId(scanned)).toEqual([badgeId])
    const { results } = await scenario.call('record_attendance', { scans: [{ badge: text }] })
    expect(results[0].participant).toMatchObject({ name: 'Ada Berger' })
  })

  it('encodes only the badge id on badges that another system issues', async () => {
    await design({ provider: 'external', delimiter: ';', segmentIndex: 1, qr: { content: 'url' } })
    expect((await picture()).text).toBe(badgeId)
  })
})

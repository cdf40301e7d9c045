import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { beforeEach, describe, expect, it } from 'vitest'
import { runTaskSynchronously } from '../../../kernel/cooperative.ts'
import { createEventContextAt } from '../../../../test/support/at-event.ts'
import { useDraftScenario } from '../../../../test/support/draft-scenario.ts'
import { readPdfText } from '../../../../test/support/pdf-text.ts'
import { SCRIPT_NAMES } from '../../fonts/tests/script-names.ts'
import { CONGRESS_EDITS, insertPassOrder, insertParticipantWith } from '../../messages/event-mail/tests/congress-mail.ts'
import { creditOrderLines } from '../invoices.ts'
import { renderInvoicePdf } from '../invoice-pdf.ts'
import { listOrderLinesWithCredits } from '../lines.ts'
import { lockOrder } from '../orders.ts'
import { woff2ToTrueType } from '../../fonts/woff2.ts'

const scenario = useDraftScenario({ startsOn: '2027-05-11', endsOn: '2027-05-13' })
const BILLING = {
  legalName: 'Hafen Kongress GmbH',
  address: 'Am Kai 1\n20457 Hamburg',
  bankDetails: 'Hanseatic Bank, DE02 1203 0000 0000 2020 51',
  invoiceFooter: 'Registered in Hamburg, HRB 12345',
}

beforeEach(async () => {
  await scenario.set(CONGRESS_EDITS)
  const taxRegistrations = [{ country: 'DE', number: 'DE123456789', from: '2020-01-01' }]
  await scenario.olga.call('update_client', {
    clientCode: scenario.event.clientCode,
    billing: BILLING,
    establishedIn: 'DE',
    taxRegistrations,
  })
})

const person = (more: Record<string, unknown> = {}) => insertParticipantWith(scenario.world, scenario.event, more)
const written = async (id: string) => (await renderInvoicePdf(await createEventContextAt(scenario.world, scenario.event), id))!
const read = async (id: string) => readPdfText((await written(id)).content)

describe('renderInvoicePdf', () => {
  it('prints issuer, recipient, lines, tax and due date of an invoice', async () => {
    const { invoice, order } = await insertPassOrder(scenario.world, scenario.event, await person(), { quantity: 3 })
    const text = await read(invoice.id)
    for (const said of [
      `Invoice ${invoice.number}`,
      'Hafen Kongress GmbH',
      'Am Kai 1',
      'Tax number: DE123456789',
      'Ada Lovelace',
      'Your tax number: EL123456789',
      'Greece',
      'Issued on: 10 January 2027',
      'Due on: 9 February 2027',
      `Order: ${order.number}`,
      'Congress pass',
      '€450.00',
      '€1,350.00',
      'Tax 19 % on €1,350.00',
      '€256.50',
      '€1,606.50',
      'Still to pay',
      'Hanseatic Bank',
      `Please use ${invoice.number} as the payment reference.`,
      'Registered in Hamburg',
      'page 1 of 1',
    ])
      expect(text).toContain(said)
    expect(text).not.toContain('Reverse charge')
    expect(text).not.toContain('TEST')
  })

  it("prints the seller's data of the day of issue after the seller moved and got another tax number", async () => {
    const { invoice, order } = await insertPassOrder(scenario.world, scenario.event, await person())
    await scenario.olga.call('update_client', {
      clientCode: scenario.event.clientCode,
      billing: {
        legalName: 'Kai Kongress AG',
        address: `${'Am sehr langen Sandtorkai '.repeat(6)}99\n20457 Hamburg`,
        bankDetails: 'New Bank',
      },
      establishedIn: 'AT',
      taxRegistrations: [
        { country: 'DE', number: 'DE987654321', from: '2020-01-01' },
        { country: 'AT', number: 'ATU12345678', from: '2020-01-01' },
      ],
    })
    const text = await read(invoice.id)
    for (const kept of ['Hafen Kongress GmbH', 'Am Kai 1', 'Tax number: DE123456789', 'New Bank']) expect(text).toContain(kept)
    for (const later of ['Kai Kongress AG', 'Sandtorkai', 'DE987654321']) expect(text).not.toContain(later)

    const note = await scenario.world.database.transact(async (db) => {
      const ctx = await createEventContextAt(scenario.world, scenario.event, db)
      const [line] = await listOrderLinesWithCredits(ctx, { orderId: order.id })
      const amounts = { listAmount: 45_000, discount: 0, net: 45_000, tax: 8_550, total: 53_550 }
      return creditOrderLines(ctx, await lockOrder(ctx, order.id), [{ line: line!, quantity: 1, amounts }], {
        at: new Date('2027-02-01T09:00:00Z'),
        startsOn: '2027-05-11',
        paymentTermsDays: 30,
      })
    })
    const credit = await read(note!.id)
    for (const current of ['Kai Kongress AG', 'Sandtorkai', 'Tax number: ATU12345678', `Corrects: ${invoice.number}`])
      expect(credit).toContain(current)
  })

  it('prints the current seller on an invoice that was issued before the seller was stored', async () => {
    const { invoice } = await insertPassOrder(scenario.world, scenario.event, await person())
    const { pool } = scenario.world.database
    await pool.query('alter table invoices disable trigger user')
    await pool.query('update invoices set seller = null')
    await pool.query('alter table invoices enable trigger user')
    const text = await read(invoice.id)
    for (const said of ['Hafen Kongress GmbH', 'Am Kai 1', 'Tax number: DE123456789']) expect(text).toContain(said)
  })

  it('prints Latin, Greek and Cyrillic letters on an invoice, and a question mark for characters that no font has', async () => {
    await scenario.olga.call('update_client', { clientCode: scenario.event.clientCode, billing: { legalName: '𓀀𓀁 Kaigi' } })
    const { invoice } = await insertPassOrder(scenario.world, scenario.event, await person())
    const text = (await read(invoice.id)).replaceAll('\n', '')
    for (const said of ['Ωmega Łódź Ltd', 'ул. Ленина 1', 'Αθήνα', '?? Kaigi']) expect(text).toContain(said)
  })

  it('prints names in other scripts on an invoice, and renders the same bytes again', async () => {
    const names = Object.values(SCRIPT_NAMES)
    await scenario.olga.call('update_client', {
      clientCode: scenario.event.clientCode,
      billing: { ...BILLING, legalName: names[0], address: names.slice(1).join('\n') },
    })
    const { invoice } = await insertPassOrder(scenario.world, scenario.event, await person())
    const { content } = await written(invoice.id)
    const text = readPdfText(content).replaceAll(/\s/g, '')
    for (const name of ['山田太郎', '王小明，北京大学', '陳大文', '김민준']) expect(text).toContain(name)
    // The extracted text has right-to-left letters in the order in which they are printed.
    for (const name of ['דוד', 'محمد']) expect(text).toContain([...name].toReversed().join(''))
    // Arabic letters that differ only in their dots share a glyph shape, so they are not compared.
    const others = names.join('').replaceAll(/[\s\p{sc=Arab}]/gv, '')
    expect([...others].filter((character) => !text.includes(character))).toEqual([])
    expect(text).not.toContain('?')
    expect((await written(invoice.id)).content.equals(content)).toBe(true)
  })

  it.each([
    ['de-CH', ['Rechnung INV', 'Zahlbar bis: 9. Februar 2027', 'Steuer 19 % auf', 'Griechenland']],
    ['fr', ['Facture INV', 'Date d’échéance : 9 février 2027', 'TVA 19 % sur 1 350,00 €', 'Grèce', 'Votre n° de TVA : EL123456789']],
    ['es', ['Factura INV', 'Fecha de vencimiento: 9 de febrero de 2027', 'IVA 19 % sobre 1350,00 €', 'Grecia', 'Pendiente de pago']],
    ['it', ['Fattura INV', 'Scadenza: 9 febbraio 2027', 'IVA 19% su 1350,00 €', 'Grecia', 'Ancora da pagare']],
    ['nl', ['Factuur INV', 'Vervaldatum: 9 februari 2027', '19% btw over € 1.350,00', 'Griekenland', 'Nog te betalen']],
    ['pt', ['Fatura INV', 'Data de vencimento: 9 de fevereiro de 2027', 'IVA 19% sobre 1350,00 €', 'Grécia', 'Por pagar']],
  ])("prints the invoice in the recipient's language %s", async (language, texts) => {
    const { invoice } = await insertPassOrder(scenario.world, scenario.event, await person({ language }), { quantity: 3 })
    const text = (await read(invoice.id)).replaceAll('\u00a0', ' ')
    for (const said of texts) expect(text).toContain(said)
    // A question mark would show that a font lacks a character of the language.
    expect(text).not.toContain('?')
  })

  it('prints on an invoice with reverse charge that the recipient owes the tax', async () => {
    const { invoice } = await insertPassOrder(scenario.world, scenario.event, await person(), { taxNote: 'reverse_charge' })
    const text = await read(invoice.id)
    expect(text).toContain('Reverse charge: the recipient of the service owes the tax.')
    expect(text).toContain('Tax 0 % on €450.00')
  })

  it('marks invoices of test data as tests', async () => {
    const { invoice } = await insertPassOrder(scenario.world, scenario.event, await person({ is_test_data: true }))
    expect(await read(invoice.id)).toContain('TEST: this document was created from test data.')
  })

  it('renders an unchanged invoice to the same bytes, and to different bytes after a refund', async () => {
    const ada = await person()
    const { invoice, order } = await insertPassOrder(scenario.world, scenario.event, ada, { quantity: 2 })
    const hash = async () =>
      createHash('sha256')
        .update((await written(invoice.id)).content)
        .digest('hex')
    const first = await hash()
    expect(await hash()).toBe(first)
    const note = await scenario.world.database.transact(async (db) => {
      const ctx = await createEventContextAt(scenario.world, scenario.event, db)
      const [line] = await listOrderLinesWithCredits(ctx, { orderId: order.id })
      const amounts = { listAmount: 45_000, discount: 0, net: 45_000, tax: 8_550, total: 53_550 }
      return creditOrderLines(ctx, await lockOrder(ctx, order.id), [{ line: line!, quantity: 1, amounts }], {
        at: new Date('2027-02-01T09:00:00Z'),
        startsOn: '2027-05-11',
        paymentTermsDays: 30,
      })
    })
    expect(await hash()).not.toBe(first)
    expect(await read(invoice.id)).toMatch(/Credited\n-€535\.50\n/)
    const text = await read(note!.id)
    for (const said of [`Credit note ${note!.number}`, `Corrects: ${invoice.number}`, '€450.00', 'Tax 19 % on €450.00', '€535.50'])
      expect(text).toContain(said)
    for (const other of ['Still to pay', 'Hanseatic Bank', '-€450.00']) expect(text).not.toContain(other)
  })

  it('splits long invoices into several pages, breaks long words, and tags every part of the PDF for accessibility', async () => {
    await scenario.olga.call('update_client', {
      clientCode: scenario.event.clientCode,
      billing: { bankDetails: `${'Bank\n'.repeat(120)}${'X'.repeat(300)}`, invoiceFooter: 'Small print. '.repeat(75) },
    })
    const { invoice } = await insertPassOrder(scenario.world, scenario.event, await person())
    const { content } = await written(invoice.id)
    if (process.env['KEEP_PDF']) writeFileSync(process.env['KEEP_PDF'], content)
    const text = readPdfText(content)
    expect([text.match(/X/g)!.length, text.match(/Bank\n/g)!.length]).toEqual([300, 120])
    const feet = text.match(/page \d+ of \d+/g)!
    expect(feet.length).toBeGreaterThan(2)
    expect(feet).toEqual(feet.map((_, index) => `page ${index + 1} of ${feet.length}`))
    const raw = content.toString('latin1')
    for (const kind of ['/S /H1', '/S /Table', '/S /TH', '/S /TD', '/Marked true', '/Lang (en)']) expect(raw).toContain(kind)
  })
})

describe('woff2ToTrueType', () => {
  it('restores every table of a WOFF2 font and rejects other input', () => {
    const packed = readFileSync(createRequire(import.meta.url).resolve('@fontsource-variable/inter/files/inter-greek-wght-normal.woff2'))
    const font = runTaskSynchronously(woff2ToTrueType(packed))
    const tables = Array.from({ length: font.readUInt16BE(4) }, (_, index) => {
      const at = 12 + 16 * index
      return { tag: font.toString('latin1', at, at + 4), end: font.readUInt32BE(at + 8) + font.readUInt32BE(at + 12) }
    })
    expect(tables.map(({ tag }) => tag)).toEqual(expect.arrayContaining(['cmap', 'glyf', 'head', 'hhea', 'hmtx', 'loca', 'maxp']))
    for (const { end } of tables) expect(end).toBeLessThanOrEqual(font.length)
    expect(() => runTaskSynchronously(woff2ToTrueType(Buffer.from('no font')))).toThrow('not a WOFF2 font')
  })
})

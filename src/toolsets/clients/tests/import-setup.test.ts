import ExcelJS from 'exceljs'
import { describe, expect, it } from 'vitest'
import { useDraftScenario } from '../../../../test/support/draft-scenario.ts'
import { createUploadFixtures } from '../../../../test/support/uploads.ts'

const scenario = useDraftScenario()

const file = async (content: Buffer | string, name: string) =>
  (await createUploadFixtures(scenario.world, scenario.event).file(Buffer.from(content), { name }, { clientId: scenario.event.clientId }))
    .id
const setup = (args: object) => scenario.call('setup_import_flow', args)
const columnsOf = (sheet: any) => Object.fromEntries(sheet.columns.map(({ name, field }: any) => [name, field]))
const times = (count: number, row: (n: number) => string) => Array.from({ length: count }, (_, n) => row(n)).join('\n')

const FRENCH = `Prénom; Nom; Courriel; Montant\n${times(20, (n) => `Zoë;Lefèvre${n};zoe${n}@example.fr;1.234,56`)}\n`

describe('setup_import_flow', () => {
  it('reads a French file in windows-1252 with four recognised columns and no open questions', async () => {
    const fileId = await file(Buffer.from(FRENCH, 'latin1'), 'inscrits.csv')
    const { sheets, ...rest } = await setup({ fileIds: [fileId], sourceSystem: 'old-system' })
    expect(rest).toMatchObject({ status: 'ready', revision: 1, questions: [], joins: [], runs: [] })
    expect(sheets).toMatchObject([{ name: 'inscrits', kind: 'participants', rows: 20, header: 1 }])
    expect(sheets[0].columns).toMatchObject([
      { name: 'Prénom', field: '@participant.firstName', confidence: 'sure', samples: ['Zoë'] },
      { name: 'Nom', field: '@participant.lastName', confidence: 'sure' },
      { name: 'Courriel', field: '@participant.email', confidence: 'sure' },
      { name: 'Montant', field: 'amountPaid', confidence: 'sure' },
    ])
  })

  it('asks once for the date order of all columns of an import file, and is ready to import when it is answered', async () => {
    const text = `Name,Email,Registered on,Paid on\n${times(10, (n) => `Ada Lovelace,a${n}@example.org,03/04/2025,05/06/2025`)}\n`
    const first = await setup({ text, sourceSystem: 'old' })
    expect(first).toMatchObject({
      status: 'draft',
      questions: [{ id: 'dateOrder', columns: ['text: Registered on', 'text: Paid on'], options: ['DMY', 'MDY'] }],
    })
    const second = await setup({ setupId: first.setupId, formats: { dateOrder: 'MDY' } })
    expect(second).toMatchObject({ setupId: first.setupId, status: 'ready', revision: 2, questions: [] })
    expect(await setup({ setupId: first.setupId })).toEqual(second)
  })

  it('asks which columns of an import file identify a person', async () => {
    const { questions, setupId } = await setup({ text: `Shoe,Hat\n${times(30, (n) => `${n},${n}`)}\n`, sourceSystem: 'old' })
    expect(questions.map(({ id }: any) => id)).toEqual(['kind'])
    const kinds = [{ sheet: 'text', kind: 'participants' }]
    expect((await setup({ setupId, kinds })).questions.map(({ id }: any) => id)).toEqual(['name', 'key'])
    const mapping = [{ sheet: 'text', column: 'shoe', field: 'externalId' }]
    expect((await setup({ setupId, mapping })).questions.map(({ id }: any) => id)).toEqual(['name'])
    const more = await setup({ setupId, mapping: [{ sheet: 'text', column: 'Hat', field: 'fullName' }] })
    expect(more).toMatchObject({ status: 'ready', sheets: [{ columns: [{ field: 'externalId' }, { field: 'fullName' }] }] })
  })

  it('adds missing questions and options to the event draft only with the argument save, and nothing in a second call', async () => {
    const shirts = ['S', 'M', 'L', 'XL']
    const text = `Name,Email,T-shirt,Remark,Tags,Ticket,Total\n${times(40, (n) => `Ada Lovelace,a${n}@example.org,${shirts[n % 4]},remark ${n},${n % 2 ? 'VIP; Speaker' : ''},${n % 2 ? 'Day pass' : 'Gala'},10`)}\n`
    await scenario.call('configure_event', {
      sections: {
        tags: [{ code: 'vip', name: 'VIP' }],
        products: [{ code: 'gala', name: 'Gala', category: 'meal', prices: [{ amount: '5.00' }] }],
      },
    })
    const { setupId, wouldCreate, sheets } = await setup({ text, sourceSystem: 'old' })
    expect(columnsOf(sheets[0])).toMatchObject({
      'T-shirt': 'new:t-shirt',
      Remark: 'new:remark',
      Ticket: 'productName',
      Tags: 'tagList',
      Total: 'amountDue',
    })
    expect(wouldCreate).toEqual({
      flow: 'imported',
      customFields: [
        { code: 't-shirt', name: 'T-shirt', responseType: 'choice', choices: 4 },
        { code: 'remark', name: 'Remark', responseType: 'text', choices: 0 },
      ],
      products: [{ code: 'day-pass', name: 'Day pass' }],
      tags: [{ code: 'speaker', name: 'Speaker' }],
    })
    const draft = async () => JSON.parse((await scenario.call('config_explore', { path: '', depth: 0 })).valueJson ?? '{}')
    expect((await draft()).flows).toBeUndefined()
    const saved = await setup({ setupId, save: true })
    expect(saved).toMatchObject({ revision: 1, wouldCreate: { customFields: [], products: [], tags: [] } })
    expect(saved.wouldCreate.flow).toBeUndefined()
    const { flows, products, customFields } = await draft()
    expect(flows).toMatchObject([{ slug: 'imported', inviteOnly: true }])
    expect(products.map(({ code, retired = false }: any) => [code, retired])).toEqual([
      ['gala', false],
      ['day-pass', true],
    ])
    expect(customFields[0]).toMatchObject({
      code: 't-shirt',
      responseType: 'choice',
      choices: [{ code: 's', name: 'S' }, { code: 'm' }, { code: 'l' }, { code: 'xl' }],
    })
  })

  it('matches payments to imported people by their registration ID in the other system, and counts payments without a match', async () => {
    const people = await file(
      `Registration ID,First name,Last name,Email\n${times(10, (n) => `R${n},Ada,Lovelace${n},a${n}@example.org`)}\n`,
      'people.csv',
    )
    const book = new ExcelJS.Workbook()
    const sheet = book.addWorksheet('Payments')
    sheet.addRow(['Registration ID', 'Amount', 'Payment date', 'Transaction ID'])
    for (let n = 5; n < 13; n++) sheet.addRow([`r${n}`, 10.5, new Date(Date.UTC(2025, 0, n)), `t${n}`])
    const payments = await file(Buffer.from(await book.xlsx.writeBuffer()), 'payments.xlsx')
    const result = await setup({ fileIds: [people, payments], sourceSystem: 'old' })
    expect(result).toMatchObject({
      status: 'ready',
      sheets: [{ kind: 'participants' }, { name: 'Payments', kind: 'payments', rows: 8 }],
      joins: [{ from: 'Payments', to: 'people', column: 'Registration ID', matched: 5, unmatched: 3 }],
    })
    expect(columnsOf(result.sheets[1])).toEqual({
      'Registration ID': 'externalId',
      Amount: 'amountPaid',
      'Payment date': 'paidAt',
      'Transaction ID': 'paymentRef',
    })
  })

  it('rejects invalid arguments of setup_import_flow with a message that explains how to correct them', async () => {
    expect(await scenario.refused('setup_import_flow', { sourceSystem: 'old' })).toMatchObject({
      message: expect.stringContaining('fileIds'),
    })
    expect(await scenario.refused('setup_import_flow', { text: FRENCH })).toMatchObject({
      message: expect.stringContaining('sourceSystem'),
    })
    const { setupId } = await setup({ text: FRENCH, sourceSystem: 'old' })
    expect(
      await scenario.refused('setup_import_flow', { setupId, mapping: [{ sheet: 'text', column: 'Nomm', field: 'ignore' }] }),
    ).toMatchObject({
      fields: [{ path: 'mapping/0/column', message: expect.stringContaining('"Nom"') }],
    })
    expect(
      await scenario.refused('setup_import_flow', { setupId, mapping: [{ sheet: 'text', column: 'Nom', field: 'lastname' }] }),
    ).toMatchObject({
      fields: [{ path: 'mapping/0/field' }],
    })
    const other = await scenario.world.event({ at: scenario.event })
    expect(await scenario.olga.refused('setup_import_flow', { eventCode: other.eventCode, setupId })).toMatchObject({ code: 'not_found' })
  })
})

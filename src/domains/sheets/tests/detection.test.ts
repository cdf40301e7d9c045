import { describe, expect, it } from 'vitest'
import { computeJaroWinkler } from '../../../kernel/jaro-winkler.ts'
import { assignFieldsToColumns } from '../assignment.ts'
import { toRandomAccessFile } from '../random-access-file.ts'
import { detectColumns, proposeFieldForUnknownColumn, type MappableField } from '../detect.ts'
import { computeSheetProfile } from '../profile.ts'
import { openSheets } from '../sheets.ts'
import { IMPORT_COLUMN_HEADINGS, PERSON_COLUMN_HEADINGS } from '../synonyms.ts'
import type { ValueType } from '../values.ts'
import { computeJaccardSimilarity, canReachJaroWinklerSimilarity, splitIntoWordSet } from '../normalize.ts'

const TYPES: Record<string, ValueType> = {
  email: 'email',
  workPhone: 'phone',
  mobilePhone: 'phone',
  country: 'country',
  website: 'url',
  fullName: 'twoWords',
  quantity: 'integer',
  amountDue: 'amount',
  amountPaid: 'amount',
  paidAt: 'date',
}
const FIELDS: MappableField[] = Object.entries({ ...PERSON_COLUMN_HEADINGS, ...IMPORT_COLUMN_HEADINGS }).map(([name, words]) => ({
  name,
  called: [name, ...words.split(',')],
  type: TYPES[name] ?? 'text',
}))

async function profile(csv: string | Buffer) {
  const [sheet] = await openSheets(toRandomAccessFile(Buffer.from(csv)), 'x.csv')
  return computeSheetProfile(sheet!)
}
const detect = async (csv: string | Buffer) => detectColumns((await profile(csv)).columns, FIELDS)
const column = (name: string, values: readonly string[]) => `${name};x\n${values.map((value) => `"${value}";1`).join('\n')}\n`
const times = (count: number, value: (n: number) => string) => Array.from({ length: count }, (_, n) => value(n))

describe('detectColumns', () => {
  it('maps the column "E-mail address" with 99 % valid values to the field email with score 0.996 and confidence "sure"', async () => {
    const values = times(100, (n) => (n === 7 ? 'none' : `p${n}@example.org`))
    expect((await detect(column('E-mail address', values)))[0]).toEqual({
      column: 'E-mail address',
      field: 'email',
      score: 0.996,
      confidence: 'sure',
    })
    const half = times(100, (n) => (n % 2 ? 'none' : `p${n}@example.org`))
    expect((await detect(column('E-mail address', half)))[0]).toMatchObject({ field: 'email', score: 0.8 })
  })

  it('maps the column "Name" with 97 % two-word values to fullName with score 0.988, although firstName scores 0.5', async () => {
    const values = times(100, (n) => (n < 3 ? 'Cher' : `Ada Lovelace${'abcdefghij'[n % 10]}`))
    const { columns } = await profile(column('Name', values))
    expect(detectColumns(columns, FIELDS)[0]).toMatchObject({ field: 'fullName', score: 0.988, confidence: 'sure' })
    const firstName = FIELDS.filter(({ name }) => name === 'firstName')
    expect(detectColumns(columns, firstName)[0]).toMatchObject({ field: 'firstName', score: 0.5, confidence: 'check' })
  })

  it('maps the column "Name" next to "Vorname", with one-word values in both, to lastName', async () => {
    expect(await detect(`Vorname;Name;Ort\n${times(50, () => 'Ada;Müller;Köln').join('\n')}`)).toMatchObject([
      { field: 'firstName', confidence: 'sure' },
      { field: 'lastName', confidence: 'sure' },
      { field: 'city' },
    ])
  })

  it('maps four columns of a French windows-1252 file with certainty and detects the decimal comma', async () => {
    const rows = times(20, (n) => `Zoë;Lefèvre;zoe${n}@example.fr;1.234,56`).join('\n')
    const content = Buffer.from(`Prénom; Nom; Courriel; Montant\n${rows}\n`, 'latin1')
    expect(await detect(content)).toMatchObject([
      { field: 'firstName', confidence: 'sure' },
      { field: 'lastName', confidence: 'sure' },
      { field: 'email', confidence: 'sure' },
      { field: 'amountPaid', confidence: 'sure' },
    ])
    expect((await profile(content)).columns[3]!.decimal).toBe(',')
  })

  it.each([
    [
      'de',
      'Vorname;Nachname;E-Mail-Adresse;Firma;PLZ;Ort;Land;Telefonnummer',
      'Ada;Lovelace;a@example.de;ACME;50667;Köln;Deutschland;+49 221 123456',
    ],
    [
      'fr',
      'Prénom;Nom de famille;Adresse e-mail;Société;Code postal;Ville;Pays;Téléphone',
      'Ada;Lovelace;a@example.fr;ACME;75001;Paris;Allemagne;+33 1 23 45 67 89',
    ],
    [
      'es',
      'Nombre;Apellidos;Correo electrónico;Empresa;Código postal;Ciudad;País;Teléfono',
      'Ada;Lovelace;a@example.es;ACME;28001;Madrid;España;+34 911 234 567',
    ],
    [
      'it',
      'Nome;Cognome;Indirizzo e-mail;Azienda;CAP;Città;Paese;Telefono',
      'Ada;Lovelace;a@example.it;ACME;00100;Roma;Italia;+39 06 1234567',
    ],
    [
      'nl',
      'Voornaam;Achternaam;E-mailadres;Bedrijf;Postcode;Plaats;Land;Telefoonnummer',
      'Ada;Lovelace;a@example.nl;ACME;1011 AB;Amsterdam;Nederland;+31 20 123 4567',
    ],
    [
      'pt',
      'Primeiro nome;Sobrenome;Endereço de e-mail;Empresa;Código postal;Cidade;País;Telefone',
      'Ada;Lovelace;a@example.pt;ACME;1000-001;Lisboa;Portugal;+351 21 123 4567',
    ],
    [
      'en',
      'first_name;Last-Name;EMAIL;Organisation;ZIP;Town;Country;Phone no.',
      'Ada;Lovelace;a@example.org;ACME;SW1A 1AA;London;GB;+44 20 7946 0000',
    ],
  ])('recognizes the columns of a participant list in the language %s', async (_language, header, row) => {
    const found = await detect(`${header}\n${times(10, () => row).join('\n')}\n`)
    expect(found.map(({ field }) => field)).toEqual([
      'firstName',
      'lastName',
      'email',
      'company',
      'postalCode',
      'city',
      'country',
      'workPhone',
    ])
  })

  it('leaves an unknown column unmapped and proposes a choice or text field for it', async () => {
    const shirts = ['S', 'M', 'L', 'XL']
    const { columns } = await profile(`T-shirt;Remark\n${times(40, (n) => `${shirts[n % 4]};remark ${n}`).join('\n')}\n`)
    expect(detectColumns(columns, FIELDS)).toEqual([
      { column: 'T-shirt', field: null, score: 0, confidence: null },
      { column: 'Remark', field: null, score: 0, confidence: null },
    ])
    expect(proposeFieldForUnknownColumn(columns[0]!)).toEqual({ responseType: 'choice', choices: ['S', 'M', 'L', 'XL'] })
    expect(proposeFieldForUnknownColumn(columns[1]!)).toEqual({ responseType: 'text' })
  })

  it('proposes a choice field for a column with at most 20 distinct values that are at most a fifth of the rows', async () => {
    const of = async (rows: number, different: number) => {
      const { columns } = await profile(`Team;x\n${times(rows, (n) => `t${n % different};1`).join('\n')}\n`)
      return proposeFieldForUnknownColumn(columns[0]!).responseType
    }
    expect(await of(100, 20)).toBe('choice')
    expect(await of(105, 21)).toBe('text')
    expect(await of(20, 4)).toBe('choice')
    expect(await of(19, 4)).toBe('text')
  })

  it('scores a column by its first 200 values and 200 values spread over the rest', async () => {
    const late = times(2200, (n) => (n < 200 ? `p${n}@example.org` : 'none'))
    const [email] = await detect(column('Email', late))
    // The sample of the 2,200 rows has the first 200 values and 200 evenly spaced ones, some of which are also among the first 200.
    expect(email!.score).toBeGreaterThan(0.6 + 0.4 * 0.5)
    expect(email!.score).toBeLessThan(0.6 + 0.4 * 0.6)
    const { columns } = await profile(column('Email', late))
    expect(columns[0]!.values).toHaveLength(400)
  })

  it('distinguishes two columns of the same name by their values', async () => {
    const found = await detect(`Contact;Contact 2\n${times(30, (n) => `Ada Lovelace;a${n}@example.org`).join('\n')}`)
    expect(found[0]!.field).not.toBe('email')
  })
})

describe('computeJaroWinkler and canReachJaroWinklerSimilarity', () => {
  it('matches the published reference values of Jaro-Winkler', () => {
    expect(computeJaccardSimilarity(splitIntoWordSet('name'), splitIntoWordSet('first name'))).toBe(0.5)
    expect(computeJaccardSimilarity(splitIntoWordSet('a b c'), splitIntoWordSet('b c d'))).toBe(0.5)
  })

  it('skips the comparison of two texts only if their lengths rule out the required similarity', () => {
    expect(canReachJaroWinklerSimilarity('mail', 'mailadre', 0.9)).toBe(true)
    expect(canReachJaroWinklerSimilarity('mail', 'mailadres', 0.9)).toBe(false)
    for (let length = 1; length <= 40; length++) {
      const longest = computeJaroWinkler('abcdefghij', 'abcdefghijabcdefghijabcdefghijabcdefghij'.slice(0, length))
      for (const least of [0.5, 0.8, 0.9, 1])
        if (longest >= least) expect(canReachJaroWinklerSimilarity('abcdefghij', 'x'.repeat(length), least)).toBe(true)
    }
  })
})

describe('assignFieldsToColumns', () => {
  /** Finds the maximum total by brute force over all assignments of fields to columns. */
  function best(weights: readonly (readonly number[])[], row = 0, taken = new Set<number>()): number {
    if (row === weights.length) return 0
    let most = best(weights, row + 1, taken)
    weights[row]!.forEach((weight, field) => {
      if (weight <= 0 || taken.has(field)) return
      most = Math.max(most, weight + best(weights, row + 1, new Set([...taken, field])))
    })
    return most
  }

  it('assigns fields to columns with the maximum total score', () => {
    let seed = 1
    const random = () => (seed = (seed * 48_271) % 2_147_483_647)
    for (let round = 0; round < 300; round++) {
      const [rows, fields] = [1 + (random() % 5), 1 + (random() % 6)]
      const weights = Array.from({ length: rows }, () => Array.from({ length: fields }, () => (random() % 3 === 0 ? 0 : random() % 8)))
      const given = assignFieldsToColumns(weights)
      const used = given.filter((field) => field !== null)
      expect(new Set(used).size).toBe(used.length)
      given.forEach((field, row) => field !== null && expect(weights[row]![field]).toBeGreaterThan(0))
      expect(given.reduce<number>((sum, field, row) => sum + (field === null ? 0 : weights[row]![field]!), 0)).toBe(best(weights))
    }
  })

  it('prefers the column mapping with the best total score to the one with the best single match', () => {
    expect(
      assignFieldsToColumns([
        [10, 9],
        [9, 0],
      ]),
    ).toEqual([1, 0])
  })

  it('breaks ties between equal scores of import columns by column, then by field', () => {
    expect(
      assignFieldsToColumns([
        [5, 5, 5],
        [5, 5, 5],
        [5, 5, 5],
      ]),
    ).toEqual([0, 1, 2])
    expect(assignFieldsToColumns([[5], [5]])).toEqual([0, null])
    expect(assignFieldsToColumns([[0, 5, 5]])).toEqual([1])
  })

  it('assigns 240 fields to 200 columns, each field at most once', () => {
    const weights = Array.from({ length: 200 }, (_, row) =>
      Array.from({ length: 240 }, (_v, field) => 450_000 + ((row * 7919 + field * 104_729) % 550_000)),
    )
    expect(new Set(assignFieldsToColumns(weights)).size).toBe(200)
  })
})

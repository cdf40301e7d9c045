import { describe, expect, it } from 'vitest'
import { LIST_LIMITS, listKey, readList } from '../list.ts'

const roles = (text: string) => readList(text).columns.map(({ name, role }) => `${name}${role ? `=${role}` : ''}`)

describe('readList', () => {
  it('reads rows by column, leaving out empty cells and lines', () => {
    const list = readList('\uFEFFEmail;Member number;Name\r\nanna@x.org;10042;"Muster; Anna"\r\n\r\n;10043;\r\n')
    expect(list).toEqual({
      columns: [
        { name: 'Email', role: 'email' },
        { name: 'Member number', role: 'memberNumber' },
        { name: 'Name', role: null },
      ],
      rows: [
        { line: 2, values: { Email: 'anna@x.org', 'Member number': '10042', Name: 'Muster; Anna' } },
        { line: 4, values: { 'Member number': '10043' } },
      ],
      duplicates: [],
      withoutKey: [],
    })
  })

  it.each([
    ['E-Mail-Adresse,Mitglieds-Nr.,Name', ['E-Mail-Adresse=email', 'Mitglieds-Nr.=memberNumber', 'Name']],
    ['Courriel\tNuméro de membre', ['Courriel=email', 'Numéro de membre=memberNumber']],
    ["Adresse e-mail;Numéro d'adhérent", ['Adresse e-mail=email', "Numéro d'adhérent=memberNumber"]],
    ['Correo electrónico,Número de socio', ['Correo electrónico=email', 'Número de socio=memberNumber']],
    ['Member ID|Company', ['Member ID=memberNumber', 'Company']],
    ['EMAIL', ['EMAIL=email']],
    ['Mail,Email', ['Mail', 'Email=email']],
    ['Email,,Note', ['Email=email', 'Column 2', 'Note']],
  ])('knows the columns of %s', (heading, expected) => {
    expect(roles(heading)).toEqual(expected)
  })

  it('reports what is there twice, by line and not by value', () => {
    const list = readList('email,member no\nAnna@x.org,1 2\nbert@x.org,3\n anna@X.ORG ,4\n,12\n,\nx,')
    expect(list.duplicates).toEqual([
      { role: 'email', lines: [2, 4] },
      { role: 'memberNumber', lines: [2, 5] },
    ])
    expect(readList('email,name\n,Anna\n').withoutKey).toEqual([2])
  })

  it('compares without case and blanks', () => {
    expect(listKey('email', ' Anna@X.org ')).toBe('anna@x.org')
    expect(listKey('memberNumber', ' ab-12 3')).toBe('AB123')
  })

  it.each([
    ['PK\x03\x04…', 'Excel workbook (XLSX), which is not read here; save it as CSV'],
    ['UEsDBBQABgAI', 'Excel workbook (XLSX)'],
    ['Email,Name\na@x.org,Anna\nb@x.org,Muster, Bert', 'Line 3 of the list has more cells than there are headings'],
    ['a\0b', 'not a CSV text'],
    ['', 'The list is empty'],
    ['\n \n', 'The list is empty'],
    ['Name,Company\nAnna,X', 'No column has a heading for the email or the member number'],
    ['Email,Name,Name\na,b,c', 'two columns with the same heading, number 2 and 3'],
    ['Email\n"anna', 'cannot be read: a quotation mark'],
    [`Email\n${'x\n'.repeat(LIST_LIMITS.rows + 1)}`, 'has 50001 rows, more than 50000'],
    [`Email\n${'x'.repeat(LIST_LIMITS.bytes)}`, 'larger than 5 MB'],
    [Array.from({ length: 101 }, (_, index) => `Email${index}`).join(','), 'more than 100 columns'],
  ])('refuses in words: %#', (text, words) => {
    expect(() => readList(text)).toThrow(words)
  })

  it('takes as many rows as it says', () => {
    expect(readList(`Email\n${Array.from({ length: LIST_LIMITS.rows }, (_, n) => `p${n}@x.org`).join('\n')}`).rows).toHaveLength(
      LIST_LIMITS.rows,
    )
  })
})

import { describe, expect, it } from 'vitest'
import { MEMBER_LIST_LIMITS, normalizeMemberIdentifier, parseMemberList } from '../list.ts'

const roles = (text: string) => parseMemberList(text).columns.map(({ name, role }) => `${name}${role ? `=${role}` : ''}`)

describe('parseMemberList', () => {
  it('reads the rows of a CSV member list by column and leaves out empty cells and lines', () => {
    const list = parseMemberList('\uFEFFEmail;Member number;Name\r\nanna@x.org;10042;"Muster; Anna"\r\n\r\n;10043;\r\n')
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
      linesWithoutKey: [],
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
  ])('recognizes the email and member number columns of %s', (heading, expected) => {
    expect(roles(heading)).toEqual(expected)
  })

  it('reports duplicate emails and member numbers by line, not by value', () => {
    const list = parseMemberList('email,member no\nAnna@x.org,1 2\nbert@x.org,3\n anna@X.ORG ,4\n,12\n,\nx,')
    expect(list.duplicates).toEqual([
      { role: 'email', lines: [2, 4] },
      { role: 'memberNumber', lines: [2, 5] },
    ])
    expect(parseMemberList('email,name\n,Anna\n').linesWithoutKey).toEqual([2])
  })

  it('compares emails and member numbers without case and spaces', () => {
    expect(normalizeMemberIdentifier('email', ' Anna@X.org ')).toBe('anna@x.org')
    expect(normalizeMemberIdentifier('email', '\u212Aenta@x.org')).not.toBe(normalizeMemberIdentifier('email', 'kenta@x.org'))
    expect(normalizeMemberIdentifier('memberNumber', ' ab-12 3')).toBe('AB123')
  })

  it.each([
    ['PK\x03\x04…', 'Excel workbook (XLSX), which is not supported here. Save it as CSV'],
    ['UEsDBBQABgAI', 'Excel workbook (XLSX)'],
    ['Email,Name\na@x.org,Anna\nb@x.org,Muster, Bert', 'Line 3 of the list has more cells than the header'],
    ['a\0b', 'not a CSV text'],
    ['', 'The list is empty'],
    ['\n \n', 'The list is empty'],
    ['Name,Company\nAnna,X', 'No column has a heading for the email or the member number'],
    ['Email,Name,Name\na,b,c', 'two columns with the same heading, number 2 and 3'],
    ['Email\n"anna', 'cannot be read: a quotation mark'],
    [`Email\n${'x\n'.repeat(MEMBER_LIST_LIMITS.rows + 1)}`, 'has 50001 rows, more than 50000'],
    [`Email\n${'x'.repeat(MEMBER_LIST_LIMITS.bytes)}`, 'larger than 5 MB'],
    [Array.from({ length: 101 }, (_, index) => `Email${index}`).join(','), 'more than 100 columns'],
  ])('rejects an unreadable member list with a readable message: %#', (text, words) => {
    expect(() => parseMemberList(text)).toThrow(words)
  })

  it('accepts a member list with the maximum number of rows', () => {
    expect(
      parseMemberList(`Email\n${Array.from({ length: MEMBER_LIST_LIMITS.rows }, (_, n) => `p${n}@x.org`).join('\n')}`).rows,
    ).toHaveLength(MEMBER_LIST_LIMITS.rows)
  })
})

import { describe, expect, it } from 'vitest'
import { listValueDifferences, formatFieldName } from '../differences.ts'

const none = () => null
const of = (fields: Record<string, { before?: unknown; after?: unknown }>, kind = 'client') => listValueDifferences({ kind, fields }, none)

describe('listValueDifferences', () => {
  it('lists the values that differ between two states of a record, at any depth', () => {
    const brand = { before: { color: '#000', website: 'same.example' }, after: { color: '#fff', website: 'same.example' } }
    expect(of({ brand })).toEqual([{ label: 'Brand, color', before: '#000', after: '#fff', runs: null }])
  })

  it('returns a word diff if two texts share words, otherwise both texts', () => {
    expect(of({ text: { before: 'Bring your ticket along', after: 'Bring your phone along' } })[0]!.runs).toEqual([
      { kind: 'same', text: 'Bring your ' },
      { kind: 'removed', text: 'ticket' },
      { kind: 'added', text: 'phone' },
      { kind: 'same', text: ' along' },
    ])
    expect(of({ name: { before: 'Old name', after: 'Completely different' } })[0]).toMatchObject({
      before: 'Old name',
      after: 'Completely different',
      runs: null,
    })
  })

  it('reports the change of a hidden value without showing the value', () => {
    expect(of({ password: { before: '[secret]', after: '[secret]' }, dietary: { before: '***', after: '***' } })).toEqual([
      { label: 'Password', before: '[secret]', after: '[secret]', runs: null },
      { label: 'Dietary', before: '***', after: '***', runs: null },
    ])
  })

  it('formats booleans, lists and empty values of a change in the audit log', () => {
    expect(of({ active: { before: true, after: false }, hosts: { before: [], after: ['a.example', 'b.example'] } })).toEqual([
      { label: 'Active', before: 'yes', after: 'no', runs: null },
      { label: 'Hosts', before: 'none', after: 'a.example, b.example', runs: null },
    ])
    expect(of({ city: { before: null, after: 'Lisbon' } })[0]).toMatchObject({ before: null, after: 'Lisbon' })
  })

  it('labels changes of a draft with their configuration paths, also for truncated values and moved items', () => {
    const cut = (text: string) => ({ cut: JSON.stringify(text).slice(0, 30), sha256: 'x' })
    const fields = {
      '/products/gala/prices/0/amount': { before: '690.00', after: '740.00' },
      '/details/description': {
        before: cut('A long text about "water" and cities'),
        after: cut('A long text about "rain" and more of it'),
      },
      '/products/tour': { before: 'gala', after: '/products/tour' },
    }
    const labels = (path: string) => (path.startsWith('/products/gala') ? 'Price 1 of "Gala"' : null)
    const [price, text, moved] = listValueDifferences({ kind: 'configuration', fields }, labels)
    expect(price).toEqual({ label: 'Price 1 of "Gala"', before: '690.00', after: '740.00', runs: null })
    expect(text!.runs!.map(({ text: part }) => part).join('|')).toContain('water')
    expect(moved).toMatchObject({ before: 'gala', after: 'at the front' })
  })

  it('removes invisible characters from the values of a change', () => {
    expect(of({ name: { before: 'a\u202Eb', after: 'c\u200Bd' } })[0]).toMatchObject({ before: 'ab', after: 'cd' })
  })
})

it('converts a field name of an audit entry to words', () => {
  expect(formatFieldName('@participant.firstName')).toBe('First name')
  expect(formatFieldName('defaultTimezone')).toBe('Default timezone')
})

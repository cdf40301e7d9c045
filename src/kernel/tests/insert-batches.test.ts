import { describe, expect, it } from 'vitest'
import { splitIntoInsertBatches } from '../insert-batches.ts'

const rows = (count: number, columns: number) =>
  Array.from({ length: count }, (_, row) => Object.fromEntries(Array.from({ length: columns }, (_, column) => [`c${column}`, row])))

describe('splitIntoInsertBatches', () => {
  it('puts rows with exactly 65,535 parameters into one batch, and starts a second batch for one parameter more', () => {
    expect(splitIntoInsertBatches(rows(13_107, 5)).map(({ length }) => length)).toEqual([13_107])
    expect(splitIntoInsertBatches(rows(13_108, 5)).map(({ length }) => length)).toEqual([13_107, 1])
  })

  it('counts the columns of every row and the parameters of expressions towards the parameter limit of an INSERT', () => {
    expect(splitIntoInsertBatches([...rows(1, 1), ...rows(6553, 10)]).map(({ length }) => length)).toEqual([6554])
    expect(splitIntoInsertBatches([...rows(6, 1), ...rows(6553, 10)]).map(({ length }) => length)).toEqual([6558, 1])
    expect(splitIntoInsertBatches(rows(6553, 8), 8).map(({ length }) => length)).toEqual([4095, 2458])
  })

  it('keeps the order of inserted rows and returns no empty batch', () => {
    const given = rows(20_000, 7)
    expect(splitIntoInsertBatches(given).flat()).toEqual(given)
    expect(splitIntoInsertBatches([])).toEqual([])
  })
})

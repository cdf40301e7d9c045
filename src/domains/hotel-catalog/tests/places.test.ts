import { describe, expect, it } from 'vitest'
import { cityGeocoder } from '../cities.ts'
import { chooseGeocodedPlace, parseCoordinates } from '../places.ts'

const place = async (text: string) => chooseGeocodedPlace(text, await cityGeocoder.find(text))
const name = async (text: string) => (await place(text)).name

describe('cityGeocoder', () => {
  it.each([
    ['Lisbon', 'Lisbon, PT'],
    ['lisboa', 'Lisbon, PT'],
    ['Lisbon, Portugal', 'Lisbon, PT'],
    ['LISBON, ME, US', 'Lisbon, ME, US'],
    ['Koeln, Germany', null],
    ['Köln', 'Köln, DE'],
    ['Cologne', 'Köln, DE'],
    ['Zurich', 'Zürich, CH'],
    ['Frankfurt', 'Frankfurt am Main, DE'],
    ['Washington, D.C.', 'Washington, D.C., DC, US'],
    ['New York', 'New York City, NY, US'],
    ['Springfield, MO', 'Springfield, MO, US'],
    ['Rua da Glória 19, 1250-114 Lisbon, Portugal', 'Lisbon, PT'],
    ['Hauptstraße 5, Köln', 'Köln, DE'],
  ])('finds the city %s', async (text, expected) => {
    const found = await cityGeocoder.find(text)
    expect(found.length === 0 ? null : chooseGeocodedPlace(text, found).name).toBe(expected)
  })

  it('rejects a place name that several large cities have, with the candidates', async () => {
    await expect(name('Springfield')).rejects.toMatchObject({
      code: 'ambiguous',
      message: expect.stringContaining('Springfield, MO, US; Springfield, MA, US'),
      details: { candidates: expect.arrayContaining([expect.objectContaining({ name: 'Springfield, IL, US' })]) },
    })
    // A state that the list does not know must not become the largest city of that name.
    await expect(name('Paris, Texas')).rejects.toMatchObject({ code: 'ambiguous' })
  })

  it('finds no place for an unknown name', async () => {
    expect(await cityGeocoder.find('Xyzzyville')).toEqual([])
    expect(await cityGeocoder.find(' , ')).toEqual([])
  })
})

describe('parseCoordinates', () => {
  it('reads latitude and longitude, and rejects other text', () => {
    expect(parseCoordinates('38.7056, -9.1459')).toEqual({ latitude: 38.7056, longitude: -9.1459 })
    expect(parseCoordinates('91,0')).toBeNull()
    expect(parseCoordinates('0,181')).toBeNull()
    expect(parseCoordinates('Lisbon')).toBeNull()
  })
})

import { describe, expect, it } from 'vitest'
import { addTo, reviewed } from './reviewed.ts'
import { pageIn } from './scenes.ts'

type Document = any

describe('products and prices', () => {
  it('a page with nothing but a payment goes with it, and free people need none', () => {
    const { codes, operations, left } = reviewed((d) => {
      for (const product of d.products) product.prices = [{ amount: '0.00' }]
      pageIn(d, 'tickets').widgets.push(...pageIn(d, 'pay').widgets.splice(0, 1))
    })
    expect(codes).toEqual(['F20'])
    expect(operations).toEqual([{ op: 'remove', path: '/flows/attendee/pages/pay' }])
    expect(left()).toEqual([])
  })

  it('the tiers of the specification neither tie nor leave a gap', () => {
    const prices = [
      { amount: '600.00', until: '2027-03-31' },
      { amount: '750.00', from: '2027-04-01' },
      { amount: '450.00', tags: ['member'] },
      { amount: '520.00', from: '2027-04-01', tags: ['member'] },
    ]
    expect(reviewed((d) => (d.products[0].prices = prices)).codes).toEqual([])
  })

  it('a price that ends before the flow closes, and one that begins after it opens, leave a gap', () => {
    const early = reviewed((d) => (d.products[1].prices = [{ amount: '80.00', until: '2027-04-30' }]))
    expect(early.messages).toContain('no price from 2027-05-01 on')
    expect(early.left()).toEqual([])
    const late = reviewed((d) => (d.products[1].prices = [{ amount: '80.00', from: '2027-02-01' }]))
    expect(late.messages).toContain('no price before 2027-02-01')
    expect(late.left()).toEqual([])
  })

  it('of two prices that begin together the dearer one takes over when the other ends', () => {
    const { codes, operations, left } = reviewed(
      (d) => (d.products[1].prices = [{ amount: '90.00' }, { amount: '80.00', until: '2027-02-28' }]),
    )
    expect(codes).toEqual(['F22'])
    expect(JSON.parse(operations[0]!.valueJson!)).toEqual([
      { amount: '90.00', from: '2027-03-01' },
      { amount: '80.00', until: '2027-02-28' },
    ])
    expect(left()).toEqual([])
  })

  it('a list that members alone can use is for members, on a page of theirs it is fine', () => {
    const rule = { type: 'any', required: ['member'] }
    const membersOnly = (d: Document) => {
      d.products.push({ code: 'lounge', name: 'Lounge', category: 'other', prices: [{ amount: '5.00' }], visibleForTags: rule })
      return { id: 'lounge', type: 'products', products: ['lounge'], min: 1 }
    }
    expect(reviewed((d) => addTo(d, 'tickets', membersOnly(d))).codes).toEqual(['F18'])
    expect(reviewed((d) => addTo(d, 'member', membersOnly(d))).codes).toEqual([])
  })

  it('a product that not everybody is offered cannot be required of everybody', () => {
    const rule = { type: 'any', required: ['member'] }
    const { findings } = reviewed((d) => (d.products[0].visibleForTags = rule))
    expect(findings).toMatchObject([{ code: 'F23', message: expect.stringContaining('some people who see it are not offered that') }])
    expect(reviewed((d) => d.products.forEach((product: Document) => (product.visibleForTags = rule))).codes).not.toContain('F23')
    const onPage = reviewed((d) => {
      d.products[0].visibleForTags = rule
      pageIn(d, 'tickets').visibleForTags = rule
    })
    expect(onPage.codes).toEqual([])
  })

  it('what is sold out cannot be required', () => {
    const { findings } = reviewed(() => {}, { soldOut: new Set(['adm']) })
    expect(findings).toMatchObject([{ code: 'F24', message: '"Admission", which "Dinner" requires, is sold out.' }])
  })
})

describe('surroundings', () => {
  const states = (status: 'draft' | 'failing', onFailure: 'allow' | 'block') => ({
    around: { connections: new Map([['ams', { status, onFailure }]]), files: new Map() },
  })

  it('a connection that is not ready is an error, or a warning where people go on without', () => {
    expect(reviewed(() => {}, states('failing', 'block')).findings).toMatchObject([{ code: 'F27', level: 'error' }])
    expect(reviewed(() => {}, states('failing', 'allow')).findings).toMatchObject([{ code: 'F27', level: 'warning' }])
  })

  it('a directory that is asked by email must know it before the prices', () => {
    const more = { gives: new Map([['ams', { tags: ['member'], fills: [] }]]) }
    const own = (d: Document) => {
      d.flows[0].directory = 'ams'
      pageIn(d, 'you').widgets.shift()
    }
    expect(reviewed(own, more).codes).toEqual([])
    const late = reviewed((d) => {
      own(d)
      const [email] = pageIn(d, 'you').widgets.splice(1, 1)
      pageIn(d, 'tickets').widgets.push(email)
    }, more)
    expect(late.codes).toContain('F28')
  })

  it('the fitting email is proposed where none or another one is named', () => {
    for (const named of [null, 'other']) {
      const { codes, left } = reviewed((d) => {
        d.emails.push({ code: 'other', name: 'Other', trigger: 'payment.received', subject: 'Paid' })
        d.flows[0].confirmationEmail = named
      })
      expect(codes).toEqual(['F29'])
      expect(left()).toEqual([])
    }
  })

  it('guests are switched on, invited people on a list need no code', () => {
    const guests = reviewed((d) => addTo(d, 'member', { id: 'guests', type: 'guests' }))
    expect(guests.codes).toEqual(['F33'])
    expect(guests.left()).toEqual([])
    expect(reviewed((d) => (d.flows[0].inviteOnly = true), { inviteLists: true }).codes).toEqual([])
  })
})

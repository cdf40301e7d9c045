import { describe, expect, it } from 'vitest'
import { addTo, reviewEditedFlow } from './reviewed.ts'
import { pageIn } from './contexts.ts'

type Document = any

describe('review of products and prices', () => {
  it('suggests removing a page that contains only a payment when all products are free', () => {
    const { codes, operations, left } = reviewEditedFlow((d) => {
      for (const product of d.products) product.prices = [{ amount: '0.00' }]
      pageIn(d, 'tickets').widgets.push(...pageIn(d, 'pay').widgets.splice(0, 1))
    })
    expect(codes).toEqual(['F20'])
    expect(operations).toEqual([{ op: 'remove', path: '/flows/attendee/pages/pay' }])
    expect(left()).toEqual([])
  })

  it('reports no finding for the example prices of the specification, which have no gaps and no ties', () => {
    const prices = [
      { amount: '600.00', until: '2027-03-31' },
      { amount: '750.00', from: '2027-04-01' },
      { amount: '450.00', tags: ['member'] },
      { amount: '520.00', from: '2027-04-01', tags: ['member'] },
    ]
    expect(reviewEditedFlow((d) => (d.products[0].prices = prices)).codes).toEqual([])
  })

  it('reports a period without a price if the price ends before the flow closes or starts after the flow opens', () => {
    const early = reviewEditedFlow((d) => (d.products[1].prices = [{ amount: '80.00', until: '2027-04-30' }]))
    expect(early.messages).toContain('no price from 2027-05-01 on')
    expect(early.left()).toEqual([])
    const late = reviewEditedFlow((d) => (d.products[1].prices = [{ amount: '80.00', from: '2027-02-01' }]))
    expect(late.messages).toContain('no price before 2027-02-01')
    expect(late.left()).toEqual([])
  })

  it('suggests that the more expensive of two prices with the same start begins when the other ends', () => {
    const { codes, operations, left } = reviewEditedFlow(
      (d) => (d.products[1].prices = [{ amount: '90.00' }, { amount: '80.00', until: '2027-02-28' }]),
    )
    expect(codes).toEqual(['F22'])
    expect(JSON.parse(operations[0]!.valueJson!)).toEqual([
      { amount: '90.00', from: '2027-03-01' },
      { amount: '80.00', until: '2027-02-28' },
    ])
    expect(left()).toEqual([])
  })

  it('reports products that only members can buy if their page is public, but not if the page is for members', () => {
    const rule = { type: 'any', required: ['member'] }
    const membersOnly = (d: Document) => {
      d.products.push({ code: 'lounge', name: 'Lounge', category: 'other', prices: [{ amount: '5.00' }], visibleForTags: rule })
      return { id: 'lounge', type: 'products', products: ['lounge'], min: 1 }
    }
    expect(reviewEditedFlow((d) => addTo(d, 'tickets', membersOnly(d))).codes).toEqual(['F18'])
    expect(reviewEditedFlow((d) => addTo(d, 'member', membersOnly(d))).codes).toEqual([])
  })

  it('reports a required product that is not offered to everyone', () => {
    const rule = { type: 'any', required: ['member'] }
    const { findings } = reviewEditedFlow((d) => (d.products[0].visibleForTags = rule))
    expect(findings).toMatchObject([{ code: 'F23', message: expect.stringContaining('some participants who see it are not offered that') }])
    expect(reviewEditedFlow((d) => d.products.forEach((product: Document) => (product.visibleForTags = rule))).codes).not.toContain('F23')
    const onPage = reviewEditedFlow((d) => {
      d.products[0].visibleForTags = rule
      pageIn(d, 'tickets').visibleForTags = rule
    })
    expect(onPage.codes).toEqual([])
  })

  it('reports a product that cannot be bought because a product that it requires is sold out', () => {
    const { findings } = reviewEditedFlow(() => {}, { soldOut: new Set(['adm']) })
    expect(findings).toMatchObject([{ code: 'F24', message: '"Admission", which "Dinner" requires, is sold out.' }])
  })
})

describe('review of directories, emails and invitations', () => {
  const states = (status: 'draft' | 'failing', onFailure: 'allow' | 'block') => ({
    externalRecords: { connections: new Map([['ams', { status, onFailure }]]), files: new Map() },
  })

  it('reports an unusable directory connection as an error, or as a warning if its onFailure setting is allow', () => {
    expect(reviewEditedFlow(() => {}, states('failing', 'block')).findings).toMatchObject([{ code: 'F27', level: 'error' }])
    expect(reviewEditedFlow(() => {}, states('failing', 'allow')).findings).toMatchObject([{ code: 'F27', level: 'warning' }])
  })

  it('reports a directory lookup by email that runs after the widgets whose prices it affects', () => {
    const more = { directoryOutputs: new Map([['ams', { tags: ['member'], fills: [] }]]) }
    const own = (d: Document) => {
      d.flows[0].directory = 'ams'
      pageIn(d, 'you').widgets.shift()
    }
    expect(reviewEditedFlow(own, more).codes).toEqual([])
    const late = reviewEditedFlow((d) => {
      own(d)
      const [email] = pageIn(d, 'you').widgets.splice(1, 1)
      pageIn(d, 'tickets').widgets.push(email)
    }, more)
    expect(late.codes).toContain('F28')
  })

  it('suggests a confirmation email if the flow has none or an unsuitable one', () => {
    for (const named of [null, 'other']) {
      const { codes, left } = reviewEditedFlow((d) => {
        d.emails.push({ code: 'other', name: 'Other', trigger: 'payment.received', subject: 'Paid' })
        d.flows[0].confirmationEmail = named
      })
      expect(codes).toEqual(['F29'])
      expect(left()).toEqual([])
    }
  })

  it('suggests enabling guests for a guests widget, and requires no invitation code if the flow has an invite list', () => {
    const guests = reviewEditedFlow((d) => addTo(d, 'member', { id: 'guests', type: 'guests' }))
    expect(guests.codes).toEqual(['F33'])
    expect(guests.left()).toEqual([])
    const inviteOnly = (d: any) => (d.flows[0].inviteOnly = true)
    expect(reviewEditedFlow(inviteOnly, { inviteLists: new Set(['attendee']) }).codes).toEqual([])
    expect(reviewEditedFlow(inviteOnly, { inviteLists: new Set(['other']) }).codes).toEqual(['F36'])
  })
})

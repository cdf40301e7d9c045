/**
 * A reference ledger: one list of entries, with every figure a sum over it. It implements the rules of the specification and shares
 * nothing with the tables, functions or triggers that it is compared with.
 */

interface Entry {
  order: string
  invoice: string | null
  kind: 'invoice' | 'credit' | 'payment' | 'reversal' | 'refund' | 'writeOff' | 'transfer'
  amount: number
}

interface Invoice {
  number: string
  order: string
  dueOn: string
  total: number
}

interface Payment {
  id: string
  order: string
  invoice: string | null
  receipt: number
  left: number
}

export class LedgerRefusal extends Error {}

const sum = (amounts: readonly number[]) => amounts.reduce((total, amount) => total + amount, 0)

export class LedgerModel {
  readonly entries: Entry[] = []
  readonly invoices: Invoice[] = []
  readonly payments: Payment[] = []
  private receipts = 0

  private total(of: (entry: Entry) => boolean): number {
    return sum(this.entries.filter(of).map(({ amount }) => amount))
  }

  balance = (invoice: string) => this.total((entry) => entry.invoice === invoice)
  givenUp = (invoice: string) => -this.total((entry) => entry.invoice === invoice && entry.kind === 'writeOff')
  credited = (invoice: string) => -this.total((entry) => entry.invoice === invoice && entry.kind === 'credit')
  paid = (invoice: string) => -this.total((entry) => entry.invoice === invoice && ['payment', 'reversal', 'transfer'].includes(entry.kind))
  owed = (order: string) => this.total((entry) => entry.order === order)
  credit = (order: string) => -this.total((entry) => entry.order === order && entry.invoice === null)
  received = (order: string) => -this.total((entry) => entry.order === order && ['payment', 'reversal', 'refund'].includes(entry.kind))

  /** The invoices of an order, sorted as payments are allocated to them. */
  of(order: string): Invoice[] {
    return this.invoices
      .filter((invoice) => invoice.order === order)
      .toSorted((a, b) => (a.dueOn === b.dueOn ? (a.number < b.number ? -1 : 1) : a.dueOn < b.dueOn ? -1 : 1))
  }

  private enter(order: string, invoice: string | null, kind: Entry['kind'], amount: number) {
    if (amount !== 0) this.entries.push({ order, invoice, kind, amount })
  }

  private settle(order: string) {
    for (const { number } of this.of(order)) {
      const moved = Math.min(this.credit(order), this.balance(number))
      this.enter(order, number, 'transfer', -moved)
      this.enter(order, null, 'transfer', moved)
    }
  }

  sell(invoice: Invoice) {
    this.invoices.push(invoice)
    this.enter(invoice.order, invoice.number, 'invoice', invoice.total)
    this.settle(invoice.order)
  }

  takeOff(order: string, parts: readonly { invoice: string; amount: number }[]) {
    for (const [invoice, own] of Map.groupBy(parts, (part) => part.invoice)) {
      const amount = sum(own.map((part) => part.amount))
      this.enter(order, invoice, 'writeOff', Math.min(Math.max(0, amount - this.balance(invoice)), this.givenUp(invoice)))
      const open = Math.min(amount, this.balance(invoice))
      this.enter(order, invoice, 'credit', -open)
      this.enter(order, null, 'credit', -(amount - open))
    }
    this.settle(order)
  }

  /** Allocates a payment to invoices and returns one payment per invoice. The caller sets the ids of the payments. */
  pay(order: string, numbers: readonly string[], amount: number, mayBeMore: boolean): Payment[] {
    const orderOf = (number: string) => this.invoices.find((invoice) => invoice.number === number)!.order
    const claimed = sum(numbers.map((number) => this.balance(number) + this.givenUp(number)))
    if (amount > claimed && !mayBeMore) throw new LedgerRefusal('more than the amount due')
    const shares = new Map<string, number>()
    let left = amount
    for (const what of ['open', 'given up'] as const)
      for (const number of numbers) {
        const share = Math.min(left, what === 'open' ? this.balance(number) : this.givenUp(number))
        if (share <= 0) continue
        left -= share
        shares.set(number, (shares.get(number) ?? 0) + share)
        if (what === 'given up') this.enter(orderOf(number), number, 'writeOff', share)
        this.enter(orderOf(number), number, 'payment', -share)
      }
    const receipt = ++this.receipts
    const made = [...shares].map(([invoice, share]): Payment => ({ id: '', order: orderOf(invoice), invoice, receipt, left: share }))
    if (left > 0) {
      this.enter(order, null, 'payment', -left)
      made.push({ id: '', order, invoice: null, receipt, left })
      this.settle(order)
    }
    this.payments.push(...made)
    return made
  }

  refund(order: string, amount: number, payment: Payment | null) {
    if (amount > this.credit(order)) throw new LedgerRefusal('more than the available balance')
    if (payment && amount > payment.left) throw new LedgerRefusal('more than this payment')
    if (payment) payment.left -= amount
    this.enter(order, null, 'refund', amount)
  }

  reverse(payment: Payment, amount: number) {
    if (amount > payment.left) throw new LedgerRefusal('more than this payment')
    const { order } = payment
    const together = this.payments.filter(({ receipt }) => receipt === payment.receipt).map(({ invoice }) => invoice)
    const lastFirst = this.of(order)
      .map(({ number }) => number)
      .toReversed()
    const own = lastFirst.filter((number) => number === payment.invoice)
    const same = lastFirst.filter((number) => number !== payment.invoice && together.includes(number))
    const others = lastFirst.filter((number) => number !== payment.invoice && !together.includes(number))
    let left = amount
    const planned: [string | null, number][] = []
    for (const place of [...own, null, ...same, ...others]) {
      const room = Math.max(0, place === null ? this.credit(order) : this.paid(place))
      const share = Math.min(left, room)
      left -= share
      planned.push([place, share])
    }
    const [first] = [...own, ...same, ...others]
    if (left > 0 && first === undefined) throw new LedgerRefusal('no invoice')
    if (left > 0) planned.push([first!, left])
    payment.left -= amount
    for (const [place, share] of planned) this.enter(order, place, 'reversal', share)
    this.settle(order)
  }

  giveUp(number: string) {
    this.enter(this.invoices.find((invoice) => invoice.number === number)!.order, number, 'writeOff', -this.balance(number))
  }

  claimAgain(number: string) {
    const { order } = this.invoices.find((invoice) => invoice.number === number)!
    this.enter(order, number, 'writeOff', this.givenUp(number))
    this.settle(order)
  }
}

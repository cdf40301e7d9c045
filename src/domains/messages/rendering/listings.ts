import { formatDays, formatMoment, formatMoney } from '../../../kernel/language/format.ts'
import { webAddress } from './addresses.ts'
import type { Setting, Writer } from './blocks.ts'
import { escapeHtml } from './escape.ts'
import { withFields } from './merge-fields.ts'
import { button, figures, row } from './parts.ts'
import { type Filling, fill, type MailEvent, type MailOrder, type MailProduct, type Piece } from './recipient.ts'
import { footer } from './footer.ts'

const muted = ({ styles }: Setting, text: string) => `<div class="m" style="${styles.small}">${escapeHtml(text)}</div>`
const link = ({ styles }: Setting, url: string, text: string) => `<a href="${escapeHtml(url)}"${styles.of('a')}>${escapeHtml(text)}</a>`

const productRows = (products: readonly MailProduct[], setting: Setting, { locale }: Filling, showPrice: boolean) =>
  products.map(({ name, description, price }) => ({
    cells: [
      `<strong>${escapeHtml(name)}</strong>${description ? muted(setting, description) : ''}`,
      ...(showPrice ? [price ? escapeHtml(formatMoney(locale, price)) : ''] : []),
    ],
  }))

const productLines = (products: readonly MailProduct[], { locale }: Filling, showPrice: boolean) =>
  products
    .map(
      ({ name, description, price }) =>
        `- ${[name, description, showPrice && price ? formatMoney(locale, price) : ''].filter(Boolean).join(', ')}\n`,
    )
    .join('')

const productList: Writer<'productList'> = (block, setting) => {
  const shown = (to: Filling) => (to.products?.(block) ?? []).slice(0, block.max)
  return {
    html: [
      (to) =>
        shown(to).length > 0
          ? fill(row(setting.styles, [figures(setting.styles, productRows(shown(to), setting, to, block.showPrice))], { bottom: 24 }), to)
          : '',
    ],
    text: [(to) => (shown(to).length > 0 ? `${productLines(shown(to), to, block.showPrice)}\n` : '')],
  }
}

const offer: Writer<'offer'> = (block, setting) => {
  const { styles, fields } = setting
  const address: Piece[] = [(to) => (fields.known?.has('links.offer') ? (webAddress(String(to.value('links.offer') ?? '')) ?? '') : '')]
  const label = (place: 'html' | 'text'): Piece[] =>
    block.label === null ? [(to) => to.words.say('mail.offer')] : withFields(block.label, place, fields)
  const shown = (to: Filling) => to.products?.(block) ?? []
  const press = button(styles, { label: label('html'), address, primary: true })
  return {
    html: [
      (to) =>
        shown(to).length > 0
          ? fill(
              [
                ...row(styles, [figures(styles, productRows(shown(to), setting, to, true))], { bottom: 20 }),
                ...row(styles, press, { bottom: 24 }),
              ],
              to,
            )
          : '',
    ],
    text: [
      (to) => (shown(to).length > 0 ? `${productLines(shown(to), to, true)}\n${fill(label('text'), to)}: ${fill(address, to)}\n\n` : ''),
    ],
  }
}

const sessionList: Writer<'sessionList'> = (block, setting) => {
  const shown = (to: Filling) =>
    (to.sessions?.(block) ?? []).slice(0, block.max).map(({ title, startsAt, zone, room }) => ({
      title,
      about: [formatMoment(to.locale, startsAt, zone), room].filter(Boolean).join(' · '),
    }))
  return {
    html: [
      (to) => {
        const rows = shown(to).map(({ title, about }) => ({ cells: [`<strong>${escapeHtml(title)}</strong>${muted(setting, about)}`] }))
        return rows.length > 0 ? fill(row(setting.styles, [figures(setting.styles, rows)], { bottom: 24 }), to) : ''
      },
    ],
    text: [
      (to) =>
        shown(to).length > 0
          ? `${shown(to)
              .map(({ title, about }) => `- ${title} (${about})\n`)
              .join('')}\n`
          : '',
    ],
  }
}

type Part = 'name' | 'dates' | 'venue' | 'map' | 'website' | 'calendar'

/** Label, words and where they lead, for what is asked for and known. */
function eventFacts(event: MailEvent, show: readonly Part[], { words, locale }: Filling): { label: string; text: string; url?: string }[] {
  const { name, startsOn, endsOn, venue, address, website, mapUrl, calendarUrl } = event
  const facts: Record<Part, { label: string; text: string; url?: string } | null> = {
    name: { label: '', text: name },
    dates: { label: words.say('mail.when'), text: formatDays(locale, startsOn, endsOn) },
    venue: venue || address ? { label: words.say('mail.where'), text: [venue, address].filter(Boolean).join(', ') } : null,
    map: mapUrl ? { label: '', text: words.say('mail.map'), url: mapUrl } : null,
    website: website ? { label: words.say('mail.website'), text: website.replace(/^https?:\/\/|\/$/g, ''), url: website } : null,
    calendar: calendarUrl ? { label: '', text: words.say('mail.calendar'), url: calendarUrl } : null,
  }
  return show.flatMap((part) => {
    const fact = facts[part]
    return fact && (fact.url === undefined || webAddress(fact.url)) ? [fact] : []
  })
}

const eventDetails: Writer<'eventDetails'> = ({ show }, setting) => ({
  html: [
    (to) => {
      if (!to.event) return ''
      const rows = eventFacts(to.event, show, to).map(({ label, text, url }) => {
        const said = url ? link(setting, url, text) : escapeHtml(text)
        return { cells: [label === '' ? (url ? said : `<strong>${said}</strong>`) : `${muted(setting, label)}${said}`] }
      })
      return fill(row(setting.styles, [figures(setting.styles, rows)], { bottom: 24 }), to)
    },
  ],
  text: [
    (to) =>
      to.event
        ? `${eventFacts(to.event, show, to)
            .map(({ label, text, url }) => `${label ? `${label}: ` : ''}${url ? (label ? url : `${text}: ${url}`) : text}\n`)
            .join('')}\n`
        : '',
  ],
})

/** Lines, tax per rate, total, and what of it is paid. */
function orderRows({ lines, taxes, total, paid, balance }: MailOrder, showPaid: boolean, { words, locale }: Filling) {
  const money = (amount: MailOrder['total']) => formatMoney(locale, amount)
  return [
    ...lines.map(({ name, quantity, amount }) => ({
      label: quantity === 1 ? name : `${quantity} × ${name}`,
      figure: money(amount),
      strong: false,
    })),
    ...taxes.map(({ name, percent, amount }) => ({
      label: words.say('mail.tax', { name, percent }),
      figure: money(amount),
      strong: false,
    })),
    { label: words.say('mail.total'), figure: money(total), strong: true },
    ...(showPaid
      ? [
          { label: words.say('mail.paid'), figure: money(paid), strong: false },
          { label: words.say('mail.balance'), figure: money(balance), strong: true },
        ]
      : []),
  ]
}

const orderSummary: Writer<'orderSummary'> = ({ showPaid }, { styles }) => ({
  html: [
    (to) => {
      if (!to.order) return ''
      const rows = orderRows(to.order, showPaid, to).map(({ label, figure, strong }) => ({
        cells: [escapeHtml(label), escapeHtml(figure)],
        strong,
      }))
      return fill(row(styles, [figures(styles, rows)], { bottom: 24 }), to)
    },
  ],
  text: [
    (to) =>
      to.order
        ? `${orderRows(to.order, showPaid, to)
            .map(({ label, figure }) => `${label}: ${figure}\n`)
            .join('')}\n`
        : '',
  ],
})

/** The blocks that show what is known of the recipient and the event. */
export const LISTINGS = { productList, offer, sessionList, eventDetails, orderSummary, footer }

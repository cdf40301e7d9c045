import { formatDateRange, formatInstantWithZone, formatMoney } from '../../../kernel/language/format.ts'
import { toSafeWebAddress } from './addresses.ts'
import type { BlockOptions, BlockRenderer } from './blocks.ts'
import { escapeHtml } from '../../../kernel/escape-html.ts'
import { renderFields } from './merge-fields.ts'
import { renderButtonHtml, renderTable, renderRow } from './parts.ts'
import { type RenderingRecipient, renderPieces, type MailEvent, type MailOrder, type MailProduct, type TemplatePiece } from './recipient.ts'
import { renderFooter } from './footer.ts'

const muted = ({ styles }: BlockOptions, text: string) => `<div class="m" style="${styles.small}">${escapeHtml(text)}</div>`
const link = ({ styles }: BlockOptions, url: string, text: string) =>
  `<a href="${escapeHtml(url)}"${styles.of('a')}>${escapeHtml(text)}</a>`

const productRows = (products: readonly MailProduct[], setting: BlockOptions, { locale }: RenderingRecipient, showPrice: boolean) =>
  products.map(({ name, description, price }) => ({
    cells: [
      `<strong>${escapeHtml(name)}</strong>${description ? muted(setting, description) : ''}`,
      ...(showPrice ? [price ? escapeHtml(formatMoney(locale, price)) : ''] : []),
    ],
  }))

const productLines = (products: readonly MailProduct[], { locale }: RenderingRecipient, showPrice: boolean) =>
  products
    .map(
      ({ name, description, price }) =>
        `- ${[name, description, showPrice && price ? formatMoney(locale, price) : ''].filter(Boolean).join(', ')}\n`,
    )
    .join('')

const productList: BlockRenderer<'productList'> = (block, setting) => {
  const shown = (to: RenderingRecipient) => (to.products?.(block) ?? []).slice(0, block.max)
  return {
    html: [
      (to) =>
        shown(to).length > 0
          ? renderPieces(
              renderRow(setting.styles, [renderTable(setting.styles, productRows(shown(to), setting, to, block.showPrice))], {
                bottom: 24,
              }),
              to,
            )
          : '',
    ],
    text: [(to) => (shown(to).length > 0 ? `${productLines(shown(to), to, block.showPrice)}\n` : '')],
  }
}

const offer: BlockRenderer<'offer'> = (block, setting) => {
  const { styles, fields } = setting
  const address: TemplatePiece[] = [
    (to) => (fields.known?.has('links.offer') ? (toSafeWebAddress(String(to.value('links.offer') ?? '')) ?? '') : ''),
  ]
  const label = (place: 'html' | 'text'): TemplatePiece[] =>
    block.label === null ? [(to) => to.words.say('mail.offer')] : renderFields(block.label, place, fields)
  const shown = (to: RenderingRecipient) => to.products?.(block) ?? []
  const press = renderButtonHtml(styles, { label: label('html'), address, primary: true })
  return {
    html: [
      (to) =>
        shown(to).length > 0
          ? renderPieces(
              [
                ...renderRow(styles, [renderTable(styles, productRows(shown(to), setting, to, true))], { bottom: 20 }),
                ...renderRow(styles, press, { bottom: 24 }),
              ],
              to,
            )
          : '',
    ],
    text: [
      (to) =>
        shown(to).length > 0
          ? `${productLines(shown(to), to, true)}\n${to.words.say('label.value', { label: renderPieces(label('text'), to), value: renderPieces(address, to) })}\n\n`
          : '',
    ],
  }
}

const sessionList: BlockRenderer<'sessionList'> = (block, setting) => {
  const shown = (to: RenderingRecipient) =>
    (to.sessions?.(block) ?? []).slice(0, block.max).map(({ title, startsAt, zone, room }) => ({
      title,
      about: [formatInstantWithZone(to.locale, startsAt, zone), room].filter(Boolean).join(' · '),
    }))
  return {
    html: [
      (to) => {
        const rows = shown(to).map(({ title, about }) => ({ cells: [`<strong>${escapeHtml(title)}</strong>${muted(setting, about)}`] }))
        return rows.length > 0 ? renderPieces(renderRow(setting.styles, [renderTable(setting.styles, rows)], { bottom: 24 }), to) : ''
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

/** Lists the event details (such as date and venue) that the block shows and that are set, with label, text and link. */
function listEventFacts(
  event: MailEvent,
  show: readonly Part[],
  { words, locale }: RenderingRecipient,
): { label: string; text: string; url?: string }[] {
  const { name, startsOn, endsOn, venue, address, website, mapUrl, calendarUrl } = event
  const facts: Record<Part, { label: string; text: string; url?: string } | null> = {
    name: { label: '', text: name },
    dates: { label: words.say('mail.when'), text: formatDateRange(locale, startsOn, endsOn) },
    venue: venue || address ? { label: words.say('mail.where'), text: [venue, address].filter(Boolean).join(', ') } : null,
    map: mapUrl ? { label: '', text: words.say('mail.map'), url: mapUrl } : null,
    website: website ? { label: words.say('mail.website'), text: website.replace(/^https?:\/\/|\/$/g, ''), url: website } : null,
    calendar: calendarUrl ? { label: '', text: words.say('mail.calendar'), url: calendarUrl } : null,
  }
  return show.flatMap((part) => {
    const fact = facts[part]
    return fact && (fact.url === undefined || toSafeWebAddress(fact.url)) ? [fact] : []
  })
}

const eventDetails: BlockRenderer<'eventDetails'> = ({ show }, setting) => ({
  html: [
    (to) => {
      if (!to.event) return ''
      const rows = listEventFacts(to.event, show, to).map(({ label, text, url }) => {
        const content = url ? link(setting, url, text) : escapeHtml(text)
        return { cells: [label === '' ? (url ? content : `<strong>${content}</strong>`) : `${muted(setting, label)}${content}`] }
      })
      return renderPieces(renderRow(setting.styles, [renderTable(setting.styles, rows)], { bottom: 24 }), to)
    },
  ],
  text: [
    (to) =>
      to.event
        ? `${listEventFacts(to.event, show, to)
            .map(({ label, text, url }) => {
              if (label) return `${to.words.say('label.value', { label, value: url ?? text })}\n`
              return `${url ? to.words.say('label.value', { label: text, value: url }) : text}\n`
            })
            .join('')}\n`
        : '',
  ],
})

/** Builds the table rows of an order: items, discount, taxes, total and paid amount. They add up to the same total as on web pages. */
function buildOrderRows(order: MailOrder, showPaid: boolean, { words: { say }, locale }: RenderingRecipient) {
  const row = (label: string, amount: MailOrder['total'], strong = false) => ({ label, figure: formatMoney(locale, amount), strong })
  const { lines, discount = null, taxes, includedTaxes = [], total, paid, writtenOff = null, balance, credit = null } = order
  const isOpen = Number(balance.amount) !== 0
  const nameOf = ({ name, quantity }: MailOrder['lines'][number]) =>
    quantity === 0 ? `${name} (${say('order.keptAmount')})` : quantity === 1 ? name : `${quantity} × ${name}`
  return [
    ...lines.map((line) => row(nameOf(line), line.amount)),
    ...(discount
      ? [row(discount.code === null ? say('order.discount') : say('register.discount', { code: discount.code }), discount.amount)]
      : []),
    ...taxes.map(({ name, percent, amount }) => row(say('mail.tax', { name, percent }), amount)),
    row(say('mail.total'), total, true),
    ...includedTaxes.map(({ name, percent, amount }) => row(say('register.includedTax', { name, percent }), amount)),
    ...(showPaid && (Number(paid.amount) !== 0 || isOpen) ? [row(say('mail.paid'), paid)] : []),
    ...(showPaid && writtenOff ? [row(say('cancel.writtenOff'), writtenOff)] : []),
    ...(showPaid && credit ? [row(say('myRegistration.credit'), credit, true)] : []),
    ...(showPaid && !credit && isOpen ? [row(say('mail.balance'), balance, true)] : []),
  ]
}

const orderSummary: BlockRenderer<'orderSummary'> = ({ showPaid }, { styles }) => ({
  html: [
    (to) => {
      if (!to.order) return ''
      const rows = buildOrderRows(to.order, showPaid, to).map(({ label, figure, strong }) => ({
        cells: [escapeHtml(label), escapeHtml(figure)],
        strong,
      }))
      return renderPieces(renderRow(styles, [renderTable(styles, rows)], { bottom: 24 }), to)
    },
  ],
  text: [
    (to) =>
      to.order
        ? `${buildOrderRows(to.order, showPaid, to)
            .map(({ label, figure }) => `${to.words.say('label.value', { label, value: figure })}\n`)
            .join('')}\n`
        : '',
  ],
})

/** Renderers of the email blocks that list data of the recipient or the event. */
export const LISTING_RENDERERS = { productList, offer, sessionList, eventDetails, orderSummary, footer: renderFooter }

import { formatDateRange, formatInstantWithTimeZone, formatMoney } from '../../../kernel/language/format.ts'
import { toSafeWebUrl } from './addresses.ts'
import type { EmailBlockOptions, EmailBlockRenderer } from './blocks.ts'
import { escapeHtml } from '../../../kernel/escape-html.ts'
import { compileMergeFields } from './merge-fields.ts'
import { renderButtonHtml, renderEmailTable, renderEmailRow } from './parts.ts'
import {
  type EmailRenderingContext,
  renderCompiledTemplate,
  type EmailEventDetails,
  type EmailOrderSummary,
  type EmailProduct,
  type TemplatePiece,
} from './recipient.ts'
import { renderFooter } from './footer.ts'

const muted = ({ styles }: EmailBlockOptions, text: string) => `<div class="m" style="${styles.small}">${escapeHtml(text)}</div>`
const link = ({ styles }: EmailBlockOptions, url: string, text: string) =>
  `<a href="${escapeHtml(url)}"${styles.of('a')}>${escapeHtml(text)}</a>`

const productRows = (
  products: readonly EmailProduct[],
  setting: EmailBlockOptions,
  { locale }: EmailRenderingContext,
  showPrice: boolean,
) =>
  products.map(({ name, description, price }) => ({
    cells: [
      `<strong>${escapeHtml(name)}</strong>${description ? muted(setting, description) : ''}`,
      ...(showPrice ? [price ? escapeHtml(formatMoney(locale, price)) : ''] : []),
    ],
  }))

const productLines = (products: readonly EmailProduct[], { locale }: EmailRenderingContext, showPrice: boolean) =>
  products
    .map(
      ({ name, description, price }) =>
        `- ${[name, description, showPrice && price ? formatMoney(locale, price) : ''].filter(Boolean).join(', ')}\n`,
    )
    .join('')

const productList: EmailBlockRenderer<'productList'> = (block, setting) => {
  const shown = (to: EmailRenderingContext) => (to.products?.(block) ?? []).slice(0, block.max)
  return {
    html: [
      (to) =>
        shown(to).length > 0
          ? renderCompiledTemplate(
              renderEmailRow(setting.styles, [renderEmailTable(setting.styles, productRows(shown(to), setting, to, block.showPrice))], {
                bottom: 24,
              }),
              to,
            )
          : '',
    ],
    text: [(to) => (shown(to).length > 0 ? `${productLines(shown(to), to, block.showPrice)}\n` : '')],
  }
}

const offer: EmailBlockRenderer<'offer'> = (block, setting) => {
  const { styles, fields } = setting
  const address: TemplatePiece[] = [
    (to) => (fields.known?.has('links.offer') ? (toSafeWebUrl(String(to.value('links.offer') ?? '')) ?? '') : ''),
  ]
  const label = (place: 'html' | 'text'): TemplatePiece[] =>
    block.label === null ? [(to) => to.words.say('mail.offer')] : compileMergeFields(block.label, place, fields)
  const shown = (to: EmailRenderingContext) => to.products?.(block) ?? []
  const press = renderButtonHtml(styles, { label: label('html'), address, primary: true })
  return {
    html: [
      (to) =>
        shown(to).length > 0
          ? renderCompiledTemplate(
              [
                ...renderEmailRow(styles, [renderEmailTable(styles, productRows(shown(to), setting, to, true))], { bottom: 20 }),
                ...renderEmailRow(styles, press, { bottom: 24 }),
              ],
              to,
            )
          : '',
    ],
    text: [
      (to) =>
        shown(to).length > 0
          ? `${productLines(shown(to), to, true)}\n${to.words.say('label.value', { label: renderCompiledTemplate(label('text'), to), value: renderCompiledTemplate(address, to) })}\n\n`
          : '',
    ],
  }
}

const sessionList: EmailBlockRenderer<'sessionList'> = (block, setting) => {
  const shown = (to: EmailRenderingContext) =>
    (to.sessions?.(block) ?? []).slice(0, block.max).map(({ title, startsAt, zone, room }) => ({
      title,
      about: [formatInstantWithTimeZone(to.locale, startsAt, zone), room].filter(Boolean).join(' · '),
    }))
  return {
    html: [
      (to) => {
        const rows = shown(to).map(({ title, about }) => ({ cells: [`<strong>${escapeHtml(title)}</strong>${muted(setting, about)}`] }))
        return rows.length > 0
          ? renderCompiledTemplate(renderEmailRow(setting.styles, [renderEmailTable(setting.styles, rows)], { bottom: 24 }), to)
          : ''
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

/** Lists the event details (such as date and venue) for a block of an email, with label, text and link. Unset details are left out. */
function listEventFacts(
  event: EmailEventDetails,
  show: readonly Part[],
  { words, locale }: EmailRenderingContext,
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
    return fact && (fact.url === undefined || toSafeWebUrl(fact.url)) ? [fact] : []
  })
}

const eventDetails: EmailBlockRenderer<'eventDetails'> = ({ show }, setting) => ({
  html: [
    (to) => {
      if (!to.event) return ''
      const rows = listEventFacts(to.event, show, to).map(({ label, text, url }) => {
        const content = url ? link(setting, url, text) : escapeHtml(text)
        return { cells: [label === '' ? (url ? content : `<strong>${content}</strong>`) : `${muted(setting, label)}${content}`] }
      })
      return renderCompiledTemplate(renderEmailRow(setting.styles, [renderEmailTable(setting.styles, rows)], { bottom: 24 }), to)
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
function buildOrderRows(order: EmailOrderSummary, showPaid: boolean, { words: { say }, locale }: EmailRenderingContext) {
  const row = (label: string, amount: EmailOrderSummary['total'], strong = false) => ({
    label,
    figure: formatMoney(locale, amount),
    strong,
  })
  const { lines, discount = null, taxes, includedTaxes = [], total, paid, writtenOff = null, balance, credit = null } = order
  const isOpen = Number(balance.amount) !== 0
  const nameOf = ({ name, quantity }: EmailOrderSummary['lines'][number]) =>
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

const orderSummary: EmailBlockRenderer<'orderSummary'> = ({ showPaid }, { styles }) => ({
  html: [
    (to) => {
      if (!to.order) return ''
      const rows = buildOrderRows(to.order, showPaid, to).map(({ label, figure, strong }) => ({
        cells: [escapeHtml(label), escapeHtml(figure)],
        strong,
      }))
      return renderCompiledTemplate(renderEmailRow(styles, [renderEmailTable(styles, rows)], { bottom: 24 }), to)
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
export const LIST_BLOCK_RENDERERS = { productList, offer, sessionList, eventDetails, orderSummary, footer: renderFooter }

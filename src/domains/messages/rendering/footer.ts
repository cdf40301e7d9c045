import { toSafeWebAddress } from './addresses.ts'
import type { BlockRenderer } from './blocks.ts'
import { escapeHtml } from '../../../kernel/escape-html.ts'
import { renderFields } from './merge-fields.ts'
import { type RenderingRecipient, renderPieces, type TemplatePiece } from './recipient.ts'

const listFooterLinks = ({ footer = {}, words }: RenderingRecipient) =>
  [
    { url: footer.preferences, text: words.say('mail.preferences') },
    { url: footer.unsubscribe, text: words.say('mail.unsubscribe') },
  ].flatMap(({ url, text }) => (url && toSafeWebAddress(url) ? [{ url, text }] : []))

const nameOf = (kind: string) => kind.slice(0, 1).toUpperCase() + kind.slice(1)

/** Renders the footer below the email card: sender, reason for the email, and unsubscribe links. */
export const renderFooter: BlockRenderer<'footer'> = ({ text, social }, { styles, fields }) => {
  const line = (content: readonly TemplatePiece[]): TemplatePiece[] => [
    `<p class="m" style="margin:0 0 8px;${styles.small}">`,
    ...content,
    '</p>',
  ]
  const link = (url: string, label: string) =>
    `<a class="m" href="${escapeHtml(url)}" style="${styles.small};text-decoration:underline">${escapeHtml(label)}</a>`
  const known = social.filter(({ url }) => toSafeWebAddress(url))
  const listNotes = (to: RenderingRecipient) => [to.footer?.why, to.footer?.postalAddress].flatMap((one) => one ?? [])
  return {
    html: [
      ...(text === null ? [] : line(renderFields(text, 'html', fields))),
      ...(known.length > 0 ? line([known.map(({ kind, url }) => link(url, nameOf(kind))).join(' · ')]) : []),
      (to) =>
        listNotes(to)
          .map((one) => renderPieces(line([escapeHtml(one).replaceAll('\n', '<br>')]), to))
          .join(''),
      (to) =>
        listFooterLinks(to).length > 0
          ? renderPieces(
              line([
                listFooterLinks(to)
                  .map(({ url, text: words }) => link(url, words))
                  .join(' · '),
              ]),
              to,
            )
          : '',
    ],
    text: [
      (to) => {
        const lines = [
          ...(text === null ? [] : [renderPieces(renderFields(text, 'text', fields), to)]),
          ...known.map(({ kind, url }) => to.words.say('label.value', { label: nameOf(kind), value: url })),
          ...listNotes(to),
          ...listFooterLinks(to).map(({ url, text: label }) => to.words.say('label.value', { label, value: url })),
        ]
        return lines.length > 0 ? `-- \n${lines.join('\n')}\n` : ''
      },
    ],
  }
}

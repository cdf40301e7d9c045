import { toSafeWebUrl } from './addresses.ts'
import type { EmailBlockRenderer } from './blocks.ts'
import { escapeHtml } from '../../../kernel/escape-html.ts'
import { compileMergeFields } from './merge-fields.ts'
import { type EmailRenderingContext, renderCompiledTemplate, type TemplatePiece } from './recipient.ts'

const listFooterLinks = ({ footer = {}, words }: EmailRenderingContext) =>
  [
    { url: footer.preferences, text: words.say('mail.preferences') },
    { url: footer.unsubscribe, text: words.say('mail.unsubscribe') },
  ].flatMap(({ url, text }) => (url && toSafeWebUrl(url) ? [{ url, text }] : []))

const nameOf = (kind: string) => kind.slice(0, 1).toUpperCase() + kind.slice(1)

/** Renders the footer below the email card: sender, reason for the email, and unsubscribe links. */
export const renderFooter: EmailBlockRenderer<'footer'> = ({ text, social }, { styles, fields }) => {
  const line = (content: readonly TemplatePiece[]): TemplatePiece[] => [
    `<p class="m" style="margin:0 0 8px;${styles.small}">`,
    ...content,
    '</p>',
  ]
  const link = (url: string, label: string) =>
    `<a class="m" href="${escapeHtml(url)}" style="${styles.small};text-decoration:underline">${escapeHtml(label)}</a>`
  const known = social.filter(({ url }) => toSafeWebUrl(url))
  const listNotes = (to: EmailRenderingContext) => [to.footer?.why, to.footer?.postalAddress].flatMap((one) => one ?? [])
  return {
    html: [
      ...(text === null ? [] : line(compileMergeFields(text, 'html', fields))),
      ...(known.length > 0 ? line([known.map(({ kind, url }) => link(url, nameOf(kind))).join(' · ')]) : []),
      (to) =>
        listNotes(to)
          .map((one) => renderCompiledTemplate(line([escapeHtml(one).replaceAll('\n', '<br>')]), to))
          .join(''),
      (to) =>
        listFooterLinks(to).length > 0
          ? renderCompiledTemplate(
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
          ...(text === null ? [] : [renderCompiledTemplate(compileMergeFields(text, 'text', fields), to)]),
          ...known.map(({ kind, url }) => to.words.say('label.value', { label: nameOf(kind), value: url })),
          ...listNotes(to),
          ...listFooterLinks(to).map(({ url, text: label }) => to.words.say('label.value', { label, value: url })),
        ]
        return lines.length > 0 ? `-- \n${lines.join('\n')}\n` : ''
      },
    ],
  }
}

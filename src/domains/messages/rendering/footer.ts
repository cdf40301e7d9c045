import { webAddress } from './addresses.ts'
import type { Writer } from './blocks.ts'
import { escapeHtml } from './escape.ts'
import { withFields } from './merge-fields.ts'
import { type Filling, fill, type Piece } from './recipient.ts'

const linksOf = ({ footer = {}, words }: Filling) =>
  [
    { url: footer.preferences, text: words.say('mail.preferences') },
    { url: footer.unsubscribe, text: words.say('mail.unsubscribe') },
  ].flatMap(({ url, text }) => (url && webAddress(url) ? [{ url, text }] : []))

const nameOf = (kind: string) => kind.slice(0, 1).toUpperCase() + kind.slice(1)

/** Below the card: who sends this, why, and how it ends. */
export const footer: Writer<'footer'> = ({ text, social }, { styles, fields }) => {
  const line = (content: readonly Piece[]): Piece[] => [`<p class="m" style="margin:0 0 8px;${styles.small}">`, ...content, '</p>']
  const link = (url: string, said: string) =>
    `<a class="m" href="${escapeHtml(url)}" style="${styles.small};text-decoration:underline">${escapeHtml(said)}</a>`
  const known = social.filter(({ url }) => webAddress(url))
  const said = (to: Filling) => [to.footer?.why, to.footer?.postalAddress].flatMap((one) => one ?? [])
  return {
    html: [
      ...(text === null ? [] : line(withFields(text, 'html', fields))),
      ...(known.length > 0 ? line([known.map(({ kind, url }) => link(url, nameOf(kind))).join(' · ')]) : []),
      (to) =>
        said(to)
          .map((one) => fill(line([escapeHtml(one).replaceAll('\n', '<br>')]), to))
          .join(''),
      (to) =>
        linksOf(to).length > 0
          ? fill(
              line([
                linksOf(to)
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
          ...(text === null ? [] : [fill(withFields(text, 'text', fields), to)]),
          ...known.map(({ kind, url }) => `${nameOf(kind)}: ${url}`),
          ...said(to),
          ...linksOf(to).map(({ url, text: words }) => `${words}: ${url}`),
        ]
        return lines.length > 0 ? `-- \n${lines.join('\n')}\n` : ''
      },
    ],
  }
}

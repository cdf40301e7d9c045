import { COUNTRIES } from '../../kernel/countries.ts'
import type { InvalidAnswerReason } from '../configuration/flow/answer-rules.ts'

/**
 * Matches the bindings of names, because emails contain names. Email programs turn web addresses in names into links. Company names such as
 * “Example.com” are allowed.
 */
const NAME_BINDING = /^@(?:participant|guest\.\d+)\.(?:prefix|firstName|lastName|suffix|preferredName)$|^@group\.name$/

export const isNameQuestionBinding = (binding: string): boolean => NAME_BINDING.test(binding)

export const LINK_IN_NAME_ERROR: InvalidAnswerReason = { message: 'Enter a name without a web address.', reason: { key: 'error.nameLink' } }

/** Top-level domains and country codes with which email programs turn a bare domain name, such as `example.com`, into a link. */
const TOP_LEVEL_DOMAINS = new Set(
  `com net org info biz edu gov int mil name mobi pro tel travel app dev page web cloud online site website store shop blog news live link
  click top xyz club vip win bid loan work world today life fun icu space tech digital agency company email event events support services
  group global media network systems solutions social chat video zip mov uk eu su рф сайт онлайн 中国 公司 网络`
    .split(/\s+/)
    .concat([...COUNTRIES.keys()].map((code) => code.toLowerCase())),
)

/**
 * Whether a text contains a web or email address: a scheme, `www.`, or a domain with a known top-level domain. A single letter before a dot
 * is an initial (“J.de Vries”).
 */
export function containsLink(text: string): boolean {
  const plain = text
    .normalize('NFKC')
    .replaceAll(/[。｡․]/g, '.')
    .replaceAll(/\p{Cf}/gu, '')
    .toLowerCase()
  if (/[a-z][a-z0-9+.-]*:\/\/|\bwww\d*\.|\bxn--/.test(plain)) return true
  return [...plain.matchAll(/[\p{L}\p{N}][\p{L}\p{N}-]*(?:\.[\p{L}\p{N}-]+)+/gu)].some(([domain]) => {
    const labels = domain.split('.')
    return labels.some((label, at) => at > 0 && TOP_LEVEL_DOMAINS.has(label) && [...labels[at - 1]!].length > 1)
  })
}

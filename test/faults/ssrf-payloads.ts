import { type DnsAnswers, PUBLIC_ADDRESSES } from './ssrf-lab.ts'

/** An address that must not be fetched, and the DNS answers during the attempt. */
export interface Payload {
  url: string
  names: Record<string, DnsAnswers>
}

const words = (text: string) => text.trim().split(/\s+/)

/** Every notation of 127.0.0.1 and this computer that some parser accepts. */
const LOOPBACK_HOSTS = words(`
  127.0.0.1 127.1 127.0.1 127.0.0.1. 127.1. 127.0.0.2 127.255.255.254 127.000.000.001 127.0.0.1..
  2130706433 2130706433. 017700000001 0x7f000001 0X7F000001 0x7F.0x0.0x0.0x1 0x7f.1 0x7f.0.1 0x000000007f000001
  0177.0.0.1 0177.0.0.01 00000177.1 0177.0x0.1 0x7f.0.0.01 127.0x1 127.01
  0 0. 00 0x0 0.0 0.0.0.0 0.0.0.1 0.1.2.3
  １２７.０.０.１ １２７．０．０．１ 127。0。0。1 127｡0｡0｡1 ①②⑦.⓪.⓪.① 𝟏𝟐𝟕.𝟎.𝟎.𝟏 ２１３０７０６４３３ 0ｘ7f000001 127.0.0.\u00AD1
  %31%32%37.0.0.1 127%2e0%2e0%2e1 %30 %3127.1 127.0.0.1%2e %EF%BC%91%EF%BC%92%EF%BC%97.0.0.1
`)

/** One address of each special-purpose range in the IANA registries, and the metadata services of cloud providers. */
const SPECIAL_V4 = words(`
  10.0.0.1 10.255.255.255 0xa.1 012.1 167772161 172.16.0.1 172.31.255.255 192.168.0.1 192.168.255.255 0300.0250.1
  100.64.0.1 100.127.255.255 100.100.100.200 192.0.0.1 192.0.0.192 192.88.99.1 198.18.0.1 198.19.255.255
  169.254.169.254 2852039166 0xa9fea9fe 0251.0376.0251.0376 169.254.43518 169.254.170.2 169.254.0.1 168.63.129.16
  192.0.2.1 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255 4294967295 0xffffffff
`)

const SPECIAL_V6 = words(`
  ::1 :: 0:0:0:0:0:0:0:1 0000:0000:0000:0000:0000:0000:0000:0001 0::1 ::0.0.0.1 ::0.0.0.0
  ::ffff:127.0.0.1 ::ffff:7f00:1 ::FFFF:127.0.0.1 0:0:0:0:0:ffff:7f00:1 ::ffff:0:0 ::ffff:10.0.0.1 ::ffff:169.254.169.254
  ::ffff:a9fe:a9fe ::ffff:0:127.0.0.1 ::127.0.0.1 ::7f00:1 ::10.0.0.1 ::ffff:93.184.216.34
  64:ff9b::127.0.0.1 64:ff9b::7f00:1 64:ff9b::a9fe:a9fe 64:ff9b::10.0.0.1 64:ff9b:1::7f00:1 64:ff9b:1:ffff::10.0.0.1
  2002:7f00:1:: 2002:7f00:1::1 2002:a9fe:a9fe:: 2002:a00:1::1 2001::1 2001:0:7f00:1:: 2001:0:5db8:d822::80ff:fffe
  2001:db8::1 3fff::1 3fff:fff::1 2001:2::1 2001:10::1 2001:20::1 2001:1ff::1 100::1 5f00::1 4000::1 1::
  fc00::1 fd00::1 fdff:ffff::1 fd00:ec2::254 fd20:ce::254 fe80::1 febf::1 fec0::1 feff::1 ff02::1 ff0e::1
  fe80::1%25lo fe80::1%lo ::1%25lo ::1%lo ::1% fe80::1%251 ::ffff:127.0.0.1%25lo
`)

/** Names that resolve to private addresses in every way: alone, after a public one, in another address family or notation. */
const NAMES: Record<string, DnsAnswers> = {
  localhost: ['127.0.0.1', '::1'],
  'app.localhost': ['127.0.0.1'],
  redis: ['10.1.2.3'],
  'metadata.google.internal': ['169.254.169.254'],
  'kubernetes.default.svc': ['10.96.0.1'],
  'host.docker.internal': ['192.168.65.2'],
  'cname-to-private.test': ['10.0.0.1'],
  'cname-to-loopback.test': ['::1'],
  'public-first.test': [PUBLIC_ADDRESSES[0], '127.0.0.1'],
  'private-first.test': ['127.0.0.1', PUBLIC_ADDRESSES[0]],
  'six-private.test': [PUBLIC_ADDRESSES[0], PUBLIC_ADDRESSES[1], 'fd00::1'],
  'mapped.test': ['::ffff:127.0.0.1'],
  'nat64.test': ['64:ff9b::7f00:1'],
  'sixtofour.test': ['2002:7f00:1::'],
  'zone.test': ['fe80::1%lo'],
  'unspecified.test': ['0.0.0.0'],
  'odd-spelling.test': ['0177.0.0.1'],
  'short-spelling.test': ['127.1'],
  'no-address.test': ['canary'],
  '127.0.0.1.nip.test': ['127.0.0.1'],
  'under_score.test': ['127.0.0.1'],
  'xn--bcher-kva.test': ['127.0.0.1'],
  'metadata.test': ['fd00:ec2::254'],
}
const NAMED_HOSTS = words(`
  ${Object.keys(NAMES).join(' ')}
  LOCALHOST LocalHost localhost. ｌｏｃａｌｈｏｓｔ ⓛⓞⓒⓐⓛⓗⓞⓢⓣ local\u00ADhost %6c%6f%63%61%6c%68%6f%73%74 bücher.test BÜCHER.test
  redis. cname-to-private.test. cname-to-private。test nothing.test
`)

/** URLs whose host is not where it seems to be, ports other than the web's, and other schemes. */
const TRICKS = words(`
  http:127.0.0.1/ http:/127.0.0.1/ http:///127.0.0.1/ http:\\\\127.0.0.1\\ HTTP://127.0.0.1/
  http://127.0.0.1:80/ http://127.0.0.1:/ http://127.0.0.1:0080/
  http://public.test@127.0.0.1/ http://127.0.0.1@public.test/ http://user:pass@public.test/ http://:pass@public.test/ http://@127.0.0.1/
  http://127.0.0.1#@public.test/ http://127.0.0.1?@public.test/ http://127.0.0.1\\@public.test/ http://127.0.0.1/@public.test/
  http://public.test:80@127.0.0.1:80/ http://public.test%40127.0.0.1/ http://public.test%2f@127.0.0.1/ http://a@b@127.0.0.1/
  http://127.0.0.1%00.public.test/ http://127.0.0.1%20/ http://[127.0.0.1]/ http://[::1 http://./
  http://256.0.0.1/ http://127.0.0.256/ http://127.0.0.1.1/ http://4294967297/ http://0x100000001/ http://09.0.0.1/
  http://127.0.0.1:443/ http://127.0.0.1:8080/ https://127.0.0.1:8443/ http://[::1]:6379/ http://localhost:5432/
  http://public.test:22/ http://public.test:25/ http://public.test:0/ http://public.test:6379/ https://public.test:8443/
  http://public.test:65535/ http://public.test:65536/ http://public.test:8０/ http://public.test:-1/
`).concat(' http://127.0.0.1/ ', 'http://127.0.\t0.1/', 'http://127.0.0\n.1/', 'h\tttp://127.0.0.1/', 'http://127.0.0.1 .public.test/')

const SCHEMES = words(`
  file:///etc/passwd file://127.0.0.1/etc/passwd gopher://127.0.0.1:80/_GET%20/ data:text/html,canary ftp://127.0.0.1/ ws://127.0.0.1/
  wss://127.0.0.1/ dict://127.0.0.1:80/info ldap://127.0.0.1:80/ tftp://127.0.0.1/x sftp://127.0.0.1/ telnet://127.0.0.1:80/
  jar:http://127.0.0.1!/ netdoc:///etc/passwd view-source:http://127.0.0.1/ blob:http://127.0.0.1/x javascript:1 about:blank
  unix:/var/run/docker.sock http+unix://%2Fvar%2Frun%2Fdocker.sock/ mailto:a@127.0.0.1 node:fs http:// https:
  ws://public.test/ wss://public.test/ ftp://public.test:80/ gopher://public.test:80/_ x-web://public.test:443/
`)

/**
 * Loopback addresses without names. These may be tried with the real dialler, because even a successful connection stays on this
 * computer.
 */
export const LOOPBACK_ADDRESSES: readonly string[] = [
  ...LOOPBACK_HOSTS.map((host) => `http://${host}/`),
  ...['::1', '::', '::ffff:127.0.0.1', '::ffff:7f00:1'].map((host) => `http://[${host}]/`),
]

const names = { ...NAMES, 'public.test': [...PUBLIC_ADDRESSES] }
const hosts = [...LOOPBACK_HOSTS, ...SPECIAL_V4, ...SPECIAL_V6.map((host) => `[${host}]`), ...NAMED_HOSTS]
const secure = ['127.0.0.1', '[::1]', 'localhost', '2130706433'].map((host) => `https://${host}/`)
const written = [...hosts.map((host) => `http://${host}/`), ...secure, ...TRICKS, ...SCHEMES]

/** Forbidden addresses that a user types directly. */
export const DIRECT_PAYLOADS: readonly Payload[] = [...written, '', '//127.0.0.1/', '/etc/passwd', '127.0.0.1', 'localhost:80'].map(
  (url) => ({
    url,
    names,
  }),
)

const via = (target: string, status = 302, from = 'http://public.test') => `${from}/to/${status}/${encodeURIComponent(target)}`

/** Forbidden redirect targets: all addresses above with every redirect status, in several hops, and as relative addresses. */
export const REDIRECT_PAYLOADS: readonly Payload[] = [
  // Excludes addresses that a header cannot contain or that are relative paths in a Location header.
  ...written.filter((url) => !/^\s|\n|^http:\/?\w/.test(url)).map((url) => via(url)),
  ...[301, 303, 307, 308].flatMap((status) => ['http://127.0.0.1/', 'http://[::1]/', 'http://localhost/'].map((url) => via(url, status))),
  ...words('//127.0.0.1/ \\\\127.0.0.1/ /\\127.0.0.1/ ///127.0.0.1/ //localhost //0/ //[::1]/ http:///127.0.0.1').map((url) => via(url)),
  via(via('http://127.0.0.1/')),
  via(via(via('http://169.254.169.254/latest/meta-data/', 307), 301), 308),
  via('http://public.test/', 302, 'https://public.test'),
  via('https://127.0.0.1/', 302, 'https://public.test'),
].map((url) => ({ url, names }))

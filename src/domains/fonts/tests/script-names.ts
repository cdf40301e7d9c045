/** Names of people in scripts that the page font does not have. */
export const SCRIPT_NAMES: Readonly<Record<string, string>> = {
  Japanese: '山田 太郎（カブシキガイシャ東京）',
  Chinese: '王小明，北京大学',
  'Traditional Chinese': '陳大文 臺灣龍',
  Korean: '김민준 서울대학교',
  Arabic: 'محمد عبد الله (القاهرة)',
  Persian: 'پژمان گچساران',
  Hebrew: 'דוד בן־גוריון',
  Thai: 'สมชาย ใจดี กรุงเทพมหานคร',
  Hindi: 'अमित शर्मा, नई दिल्ली',
}

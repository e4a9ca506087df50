/** Belebele: 122 languages, one task each; a passage, a question and four lettered answers. */
import { listOf, quote, taskText, type TaskTexts } from './task-texts.ts'

/** In the order in which the harness runs them. */
const languages = `
  acm_Arab arz_Arab ceb_Latn fin_Latn hin_Deva ita_Latn khm_Khmr lvs_Latn npi_Deva pol_Latn slv_Latn swe_Latn tso_Latn
  xho_Latn afr_Latn asm_Beng ces_Latn fra_Latn hin_Latn jav_Latn kin_Latn mal_Mlym npi_Latn por_Latn sna_Latn swh_Latn
  tur_Latn yor_Latn als_Latn azj_Latn ckb_Arab fuv_Latn hrv_Latn jpn_Jpan kir_Cyrl mar_Deva nso_Latn snd_Arab tam_Taml
  ukr_Cyrl zho_Hans amh_Ethi bam_Latn dan_Latn gaz_Latn hun_Latn kac_Latn kor_Hang mkd_Cyrl nya_Latn ron_Latn som_Latn
  tel_Telu urd_Arab zho_Hant apc_Arab ben_Beng deu_Latn grn_Latn hye_Armn kan_Knda lao_Laoo mlt_Latn ory_Orya rus_Cyrl
  sot_Latn tgk_Cyrl urd_Latn zsm_Latn arb_Arab ben_Latn ell_Grek guj_Gujr ibo_Latn kat_Geor lin_Latn mri_Latn pan_Guru
  shn_Mymr spa_Latn tgl_Latn uzn_Latn zul_Latn arb_Latn bod_Tibt eng_Latn hat_Latn ilo_Latn kaz_Cyrl lit_Latn mya_Mymr
  pbt_Arab sin_Latn srp_Cyrl tha_Thai vie_Latn ars_Arab bul_Cyrl est_Latn hau_Latn ind_Latn kea_Latn lug_Latn nld_Latn
  pes_Arab sin_Sinh ssw_Latn tir_Ethi war_Latn ary_Arab cat_Latn eus_Latn heb_Hebr isl_Latn khk_Cyrl luo_Latn nob_Latn
  plt_Latn slk_Latn sun_Latn tsn_Latn wol_Latn`
  .trim()
  .split(/\s+/)

const prompt =
  'P: {{flores_passage}}\nQ: {{question.strip()}}\nA: {{mc_answer1}}\nB: {{mc_answer2}}\nC: {{mc_answer3}}\nD: {{mc_answer4}}\nAnswer:'

const template = `# Belebele: what all languages share. There is one split: examples are its first rows.
dataset_path: facebook/belebele
test_split: test
fewshot_split: test
fewshot_config: {sampler: first_n}
output_type: multiple_choice
doc_to_text: ${quote(prompt)}
doc_to_choice: ["A", "B", "C", "D"]
doc_to_target: "{{['1', '2', '3', '4'].index(correct_answer_num)}}"
should_decontaminate: true
doc_to_decontamination_query: "{{question}}"
metric_list:
  - {metric: acc, aggregation: mean, higher_is_better: true}
  - {metric: acc_norm, aggregation: mean, higher_is_better: true}
metadata:
  version: 0.0
`

export function belebeleTexts(): TaskTexts {
  return new Map([
    ['belebele/_belebele', template],
    [
      'belebele/belebele.yaml',
      taskText(`Belebele: all ${languages.length} languages.`, [
        ['group', 'belebele'],
        ['task', listOf(languages.map((language) => `belebele_${language}`))],
        [
          'aggregate_metric_list',
          listOf(['acc', 'acc_norm'].map((metric) => `{metric: ${metric}, aggregation: mean, weight_by_size: true}`)),
        ],
        ['metadata', '\n  version: 0.1'],
      ]),
    ],
    ...languages.map((language): [string, string] => [
      `belebele/belebele_${language}.yaml`,
      taskText(`Belebele, ${language}.`, [
        ['include', '_belebele'],
        ['task', `belebele_${language}`],
        ['dataset_name', language],
      ]),
    ]),
  ])
}

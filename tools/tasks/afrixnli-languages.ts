/**
 * AfriXNLI with the prompt's language as the question: the same pairs under an English prompt (`afrixnli_en_direct_*`) and worded in the
 * language itself (`afrixnli_native_direct_*`).
 */
import { weightedF1AndAcc } from './african.ts'
import { quote, taskText, type TaskTexts } from './task-texts.ts'

/** "Right?", "Yes", "Also", "No" as the benchmark says them. */
const words: { readonly [language: string]: readonly [right: string, yes: string, also: string, no: string] } = {
  amh: ['ትክክል', 'አዎ', 'እንዲሁም', 'አይ'],
  eng: ['Right', 'Yes', 'Also', 'No'],
  ewe: ['Esɔ gbe', 'Ɛ̃', 'Hã', 'Ao'],
  fra: ['correct', 'Oui', 'Aussi', 'Non'],
  hau: ['Daidai', 'Ee', 'Haka kuma', "A'a"],
  ibo: ['Ziri ezi', 'Éè', 'Ọzọkwa', 'Mba'],
  kin: ['Nibyo', 'Yego', 'Na none', 'Oya'],
  lin: ['Malamu', 'Iyo', 'Lisusu', 'Te'],
  lug: ['Kituufu', 'Yee', 'N’ekirala', 'Nedda'],
  orm: ['Sirrii', 'Eeyyee', 'Akkasumas', 'Lakki'],
  sna: ['Chokwadi', 'Hongu', 'Uye', 'Kwete'],
  sot: ['Nepile', 'E', 'Hape', 'Tjhe'],
  swa: ['Sahihi', 'Ndiyo', 'Pia', 'Hapana'],
  twi: ['Nifa', 'Aane', 'Anaasɛ', 'Daabi'],
  wol: ['Dëgg', 'Waaw', 'Itam', 'Déet'],
  xho: ['Ichanekile', 'Ewe', 'Kananjalo', 'Hayi'],
  yor: ['Òótọ́', 'Bẹ́ẹ̀ni', 'Àti pé', 'Rárá'],
  zul: ['Kulungile', 'Yebo', 'Futhi', 'Cha'],
}

const folder = 'afrixnli/anli prompt'
const rows = `dataset_path: masakhane/afrixnli
output_type: multiple_choice
validation_split: validation
test_split: test
fewshot_split: validation
`
const metadata = 'metadata:\n  version: 1.0\n'

export function afrixnliLanguageTexts(): TaskTexts {
  const texts = new Map<string, string>([
    [
      `${folder}/en-direct/_english`,
      `# AfriXNLI: the pair in its language, the prompt in English.
tag: [afrixnli_en_direct]
${rows}doc_to_text: ${quote('{{premise}}\nQuestion: {{hypothesis}} True, False, or Neither?\nAnswer:')}
doc_to_target: !function utils.doc_to_target
doc_to_choice: ["True", "Neither", "False"]
should_decontaminate: true
doc_to_decontamination_query: premise
${weightedF1AndAcc({ ignoresSigns: false })}${metadata}`,
    ],
    [
      `${folder}/native-direct/_native`,
      `# AfriXNLI: pair and prompt in one language; the whole is the choice.
tag: [afrixnli_native_direct]
${rows}doc_to_text: ""
doc_to_target: label
${weightedF1AndAcc({ ignoresSigns: false })}${metadata}`,
    ],
  ])
  for (const [language, [right, ...answers]] of Object.entries(words)) {
    const english = `afrixnli_en_direct_${language}`
    const native = `afrixnli_native_direct_${language}`
    const choices = answers.map((answer) => `premise+", ${right}? ${answer}, "+hypothesis`)
    texts.set(
      `${folder}/en-direct/${english}.yaml`,
      taskText(`AfriXNLI, ${language}, prompt in English.`, [
        ['include', '_english'],
        ['task', english],
        ['dataset_name', language],
      ]),
    )
    texts.set(
      `${folder}/native-direct/${native}.yaml`,
      taskText(`AfriXNLI, ${language}, prompt in the language.`, [
        ['include', '_native'],
        ['task', native],
        ['dataset_name', language],
        ['doc_to_choice', quote(`{{[${choices.join(',')}]}}`)],
      ]),
    )
  }
  return texts
}

/** Helpers of `mmlu_prox/<language>/utils.py` and the words of `mmlu_prox/lang_libs.py`, lm_eval 0.4.13. */
import type { FunctionFamily } from '../../../harness/function-table.ts'
import { str, type PyDict } from '../../../python/value.ts'
import { columnOf, textOf } from '../columns.ts'
import { keepCategory } from './mmlu-pro.ts'

interface Words {
  readonly question: string
  readonly options: string
  /** How an answer begins. */
  readonly answer: string
  /** How the examples' chains of thought begin before they are worded anew. */
  readonly lead: string
}

const languages: readonly (readonly [language: string, question: string, options: string, answer: string, lead: string])[] = [
  ['en', 'Question:', 'Options:', "Answer: Let's think step by step.", "A: Let's think step by step."],
  ['ja', '質問：', '選択肢：', '回答：一歩一歩考えていきましょう。', 'A: 一歩一歩考えていきましょう。'],
  ['zh', '问题：', '选项：', '答案：让我们一步一步地思考。', 'A: 让我们一步一步地思考。'],
  ['ko', '질문：', '선택 사항：', '답변: 한 단계씩 생각해 봅시다.', 'A: 한 단계씩 생각해 봅시다.'],
  ['fr', 'Question :', 'Options :', 'Réponse : Réfléchissons étape par étape.', 'A: Réfléchissons étape par étape.'],
  ['de', 'Frage:', 'Optionen:', 'Antwort: Denken wir Schritt für Schritt nach.', 'A: Denken wir Schritt für Schritt nach.'],
  ['es', 'Pregunta:', 'Opciones:', 'Respuesta: Pensemos paso a paso.', 'A: Pensemos paso a paso.'],
  ['pt', 'Pergunta:', 'Opções:', 'Resposta: Vamos pensar passo a passo.', 'A: Vamos pensar passo a passo.'],
  ['zu', 'Umbuzo:', 'Izinketho:', 'Impendulo: Asicabange isinyathelo ngesinyathelo.', 'A: Asicabange isinyathelo ngesinyathelo.'],
  ['sw', 'Swali:', 'Chaguo:', 'Jibu: Hebu tufikiria hatua kwa hatua.', 'A: Hebu tufikiria hatua kwa hatua.'],
  ['wo', 'Laaj:', 'Tànneef:', 'Tontu: Nan xalaat ci dooley dooley.', 'A: Nan xalaat ci dooley dooley.'],
  ['yo', 'Ìbéèrè:', 'Àwọn àṣàyàn:', 'Ìdáhùn: Ẹ jẹ́ ká ronú lọ́nà tíṣíṣe.', 'A: Ẹ jẹ́ ká ronú lọ́nà tíṣíṣe.'],
  ['th', 'คำถาม:', 'ตัวเลือก:', 'คำตอบ: มาคิดทีละขั้นตอนกัน', 'A: มาคิดทีละขั้นตอนกัน'],
  ['ar', 'سؤال:', 'الخيارات:', 'الإجابة: دعنا نفكر خطوة بخطوة.', 'أ: دعنا نفكر خطوة بخطوة.'],
  ['hi', 'प्रश्न:', 'विकल्प:', 'उत्तर: चलिए चरण-दर-चरण सोचते हैं।', 'A: चलिए चरण-दर-चरण सोचते हैं।'],
  ['bn', 'প্রশ্ন:', 'বিকল্পগুলি:', 'উত্তর: আসুন ধাপে ধাপে চিন্তা করি।', 'A: আসুন ধাপে ধাপে চিন্তা করি।'],
  ['mr', 'प्रश्न:', 'पर्याय:', 'उत्तर: चला पायरी पायरीने विचार करू.', 'A: चला पायरी पायरीने विचार करू.'],
  ['ne', 'प्रश्न:', 'विकल्पहरू:', 'उत्तर: चरणबद्ध रूपमा सोचौं।', 'A: चरणबद्ध रूपमा सोचौं।'],
  ['af', 'Vraag:', 'Opsies:', 'Antwoord: Kom ons dink stap vir stap.', 'A: Kom ons dink stap vir stap.'],
  ['te', 'ప్రశ్న:', 'ఎంపికలు:', 'సమాధానం: దశలవారీగా ఆలోచిద్దాం.', 'A: దశలవారీగా ఆలోచిద్దాం.'],
  ['ur', 'سوال:', 'آپشنز:', 'جواب: آئیے قدم بہ قدم سوچتے ہیں۔', 'A: آئیے قدم بہ قدم سوچتے ہیں۔'],
  ['ru', 'Вопрос:', 'Варианты:', 'Ответ: Давайте подумаем шаг за шагом.', 'A: Давайте подумаем шаг за шагом.'],
  ['id', 'Pertanyaan:', 'Pilihan:', 'Jawaban: Mari berpikir langkah demi langkah.', 'A: Mari berpikir langkah demi langkah.'],
  ['vi', 'Câu hỏi:', 'Lựa chọn:', 'Trả lời: Hãy suy nghĩ từng bước một.', 'A: Hãy suy nghĩ từng bước một.'],
  ['cs', 'Otázka:', 'Možnosti:', 'Odpověď: Přemýšlejme krok za krokem.', 'A: Přemýšlejme krok za krokem.'],
  ['hu', 'Kérdés:', 'Opciók:', 'Válasz: Gondolkodjunk lépésről lépésre.', 'A: Gondolkodjunk lépésről lépésre.'],
  ['it', 'Domanda:', 'Opzioni:', 'Risposta: Ragioniamo passo dopo passo.', 'A: Ragioniamo passo dopo passo.'],
  ['sr', 'Pitanje:', 'Opcije:', 'Odgovor: Razmislimo korak po korak.', 'A: Razmislimo korak po korak.'],
  ['uk', 'Питання:', 'Варіанти:', 'Відповідь: Давайте подумаємо крок за кроком.', 'A: Давайте подумаємо крок за кроком.'],
]

export const mmluProx: readonly FunctionFamily[] = languages.map(([language, question, options, answer, lead]) => {
  const words: Words = { question, options, answer, lead }
  return {
    folder: `mmlu_prox/${language}`,
    processDocs: keepCategory,
    docTo: {
      'utils.doc_to_text': (doc) => wordQuestion(doc, words) + answer,
      'utils.fewshot_to_text': (doc) => `${wordQuestion(doc, words)}${textOf(doc, 'cot_content').replaceAll(lead, () => answer)}\n\n`,
    },
  }
})

function wordQuestion(doc: PyDict, words: Words): string {
  const options = Array.from('ABCDEFGHIJ', (letter, i) => ({ letter, option: columnOf(doc, `option_${i}`) }))
  const lines = options.filter(({ option }) => option !== null).map(({ letter, option }) => `${letter}. ${str(option)}\n`)
  return `${words.question}\n${textOf(doc, 'question')}\n${words.options}\n${lines.join('')}`
}

/** What an app is about: it decides its words, its category and its likely neighbours. */
export type Topic = "productivity" | "finance" | "mindfulness" | "developer" | "travel" | "food";

type Language = "en" | "de" | "ja" | "pt" | "tr";

const languageOf: Readonly<Record<string, Language>> = {
  DE: "de",
  AT: "de",
  CH: "de",
  JP: "ja",
  BR: "pt",
  PT: "pt",
  TR: "tr",
};

/** Keywords that break careless clients; every app and country tracks them. */
export const awkwardKeywords = [
  "c++ & c#",
  "a/b testing",
  "50% off",
  "タスク",
  "...",
  "to-do, list",
  "🧘 yoga",
  "mind.map",
] as const;

const topicWords: Readonly<Record<Topic, Readonly<Record<Language, readonly string[]>>>> = {
  productivity: {
    en: ["habit tracker", "to do list", "daily planner", "focus timer", "reminder", "notes", "checklist"],
    de: ["gewohnheiten", "aufgabenliste", "tagesplaner", "fokus timer", "erinnerung", "notizen", "checkliste"],
    ja: ["習慣", "やることリスト", "手帳", "集中タイマー", "リマインダー", "メモ帳", "チェックリスト"],
    pt: ["hábitos", "lista de tarefas", "agenda diária", "temporizador de foco", "lembretes", "anotações", "checklist"],
    tr: [
      "alışkanlık",
      "yapılacaklar listesi",
      "günlük plan",
      "odak sayacı",
      "hatırlatıcı",
      "notlar",
      "kontrol listesi",
    ],
  },
  finance: {
    en: ["budget planner", "expense tracker", "savings", "bill reminder", "money manager", "receipts", "net worth"],
    de: ["haushaltsbuch", "ausgaben", "sparen", "rechnungen", "geld verwalten", "belege", "vermögen"],
    ja: ["家計簿", "支出管理", "貯金", "請求書", "お金 管理", "レシート", "資産"],
    pt: ["orçamento", "controle de gastos", "poupança", "contas a pagar", "finanças pessoais", "recibos", "patrimônio"],
    tr: ["bütçe", "gider takibi", "birikim", "fatura hatırlatma", "para yönetimi", "fişler", "varlık"],
  },
  mindfulness: {
    en: ["meditation", "sleep sounds", "breathing", "yoga at home", "calm music", "stress relief", "mood diary"],
    de: [
      "meditation",
      "einschlafen",
      "atemübungen",
      "yoga zuhause",
      "ruhige musik",
      "stress abbauen",
      "stimmungstagebuch",
    ],
    ja: ["瞑想", "睡眠 音", "呼吸法", "ヨガ", "癒し 音楽", "ストレス解消", "気分 日記"],
    pt: [
      "meditação",
      "sons para dormir",
      "respiração",
      "ioga em casa",
      "música calma",
      "aliviar estresse",
      "diário de humor",
    ],
    tr: [
      "meditasyon",
      "uyku sesleri",
      "nefes egzersizi",
      "evde yoga",
      "sakin müzik",
      "stres azaltma",
      "ruh hali günlüğü",
    ],
  },
  developer: {
    en: ["code editor", "git client", "ssh terminal", "json viewer", "regex tester", "learn coding", "snippets"],
    de: [
      "code editor",
      "git client",
      "ssh terminal",
      "json anzeigen",
      "regex testen",
      "programmieren lernen",
      "code schnipsel",
    ],
    ja: [
      "コードエディタ",
      "git クライアント",
      "ssh ターミナル",
      "json ビューア",
      "正規表現",
      "プログラミング 学習",
      "スニペット",
    ],
    pt: [
      "editor de código",
      "cliente git",
      "terminal ssh",
      "leitor json",
      "testar regex",
      "aprender a programar",
      "trechos de código",
    ],
    tr: [
      "kod editörü",
      "git istemcisi",
      "ssh terminali",
      "json görüntüleyici",
      "regex testi",
      "kodlama öğren",
      "kod parçaları",
    ],
  },
  travel: {
    en: ["hiking trails", "trip planner", "offline maps", "packing list", "compass", "train times", "travel diary"],
    de: ["wanderwege", "reiseplaner", "offline karten", "packliste", "kompass", "zugfahrplan", "reisetagebuch"],
    ja: ["登山 地図", "旅行 計画", "オフライン 地図", "持ち物リスト", "コンパス", "時刻表", "旅日記"],
    pt: [
      "trilhas",
      "planejar viagem",
      "mapas offline",
      "lista de mala",
      "bússola",
      "horários de trem",
      "diário de viagem",
    ],
    tr: [
      "yürüyüş rotaları",
      "gezi planı",
      "çevrimdışı harita",
      "bavul listesi",
      "pusula",
      "tren saatleri",
      "gezi günlüğü",
    ],
  },
  food: {
    en: ["easy recipes", "meal planner", "grocery list", "baking", "vegan recipes", "slow cooker", "cookbook"],
    de: ["einfache rezepte", "essensplan", "einkaufszettel", "backen", "vegane rezepte", "schmortopf", "kochbuch"],
    ja: ["簡単レシピ", "献立", "買い物リスト", "お菓子作り", "ヴィーガン", "煮込み", "料理本"],
    pt: [
      "receitas fáceis",
      "cardápio semanal",
      "lista de compras",
      "bolos",
      "receitas veganas",
      "panela elétrica",
      "livro de receitas",
    ],
    tr: [
      "kolay tarifler",
      "haftalık menü",
      "alışveriş listesi",
      "hamur işi",
      "vegan tarifler",
      "güveç",
      "yemek kitabı",
    ],
  },
};

const twists: Readonly<Record<Language, readonly string[]>> = {
  en: ["*", "* app", "free *", "best *", "* widget", "* for students"],
  de: ["*", "* app", "* kostenlos", "beste *", "* widget", "* für studenten"],
  ja: ["*", "* アプリ", "無料 *", "おすすめ *", "* ウィジェット", "学生 *"],
  pt: ["*", "* app", "* grátis", "melhor *", "* widget", "* para estudantes"],
  tr: ["*", "* uygulaması", "ücretsiz *", "en iyi *", "* widget", "öğrenciler için *"],
};

/** The language of searches in a country's store, as a two-letter code. */
export function languageIn(country: string): Language {
  return languageOf[country] ?? "en";
}

/** The `index`-th natural keyword of a topic in a country: there is no end and no repeat. */
export function phrase(topic: Topic, country: string, index: number): string {
  const language = languageIn(country);
  const words = topicWords[topic][language];
  const forms = twists[language];
  const round = Math.floor(index / (words.length * forms.length));
  const text = (forms[Math.floor(index / words.length) % forms.length] ?? "*").replace(
    "*",
    words[index % words.length] ?? "",
  );
  return round === 0 ? text : `${text} ${round + 1}`;
}

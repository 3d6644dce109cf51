import { expect, test } from "vitest";
import { androidCategories, iosCategories } from "../../src/api/categories.ts";

/** The lists of the contract, read by hand: name and id. */
const contract = {
  ios: `
Overall 36; Business 6000; Weather 6001; Utilities 6002; Travel 6003; Sports 6004; Social Networking 6005;
Reference 6006; Productivity 6007; Photo & Video 6008; News 6009; Navigation 6010; Music 6011; Lifestyle 6012;
Health & Fitness 6013; Games Overall 6014; Finance 6015; Entertainment 6016; Education 6017; Books 6018; Medical 6020;
Magazines & Newspapers 6021; Catalogs 6022; Food & Drink 6023; Shopping 6024; Stickers 6025; Developer Tools 6026;
Graphics & Design 6027; Action 7001; Adventure 7002; Arcade 7003; Board 7004; Card 7005; Casino 7006; Dice 7007;
Educational 7008; Family 7009; Kids 7010; Music 7011; Puzzle 7012; Racing 7013; Role Playing 7014; Simulation 7015;
Sports 7016; Strategy 7017; Trivia 7018; Word 7019`,
  android: `
OVERALL 26; BOOKS_AND_REFERENCE 0; BUSINESS 1; COMICS 2; COMMUNICATION 3; EDUCATION 4; ENTERTAINMENT 5; FINANCE 6;
HEALTH_AND_FITNESS 7; LIBRARIES_AND_DEMO 8; LIFESTYLE 9; APP_WALLPAPER 10; MEDIA_AND_VIDEO 11; MEDICAL 12;
MUSIC_AND_AUDIO 13; NEWS_AND_MAGAZINES 14; PERSONALIZATION 15; PHOTOGRAPHY 16; PRODUCTIVITY 17; SHOPPING 18; SOCIAL 19;
SPORTS 20; TRANSPORTATION 21; TRAVEL_AND_LOCAL 22; TOOLS 23; WEATHER 24; APP_WIDGETS 25; GAME_ACTION 28;
GAME_ADVENTURE 29; GAME_ARCADE 30; GAME_BOARD 31; GAME_CARD 32; GAME_CASINO 33; GAME_CASUAL 34; GAME_EDUCATIONAL 35;
GAME_FAMILY 36; GAME_MUSIC 37; GAME_PUZZLE 38; GAME_RACING 39; GAME_ROLE_PLAYING 40; GAME_SIMULATION 41;
GAME_SPORTS 42; GAME_STRATEGY 43; GAME_TRIVIA 44; GAME_WORD 45; MAPS_AND_NAVIGATION 46; ANDROID_WEAR 47;
ART_AND_DESIGN 48; AUTO_AND_VEHICLES 49; BEAUTY 50; DATING 51; EVENTS 52; HOUSE_AND_HOME 53; PARENTING 54;
VIDEO_PLAYERS 55; FOOD_AND_DRINK 56; FAMILY 57; GAME 27`,
} as const;

/** The names of such a list by id. */
function listed(text: string): ReadonlyMap<number, string> {
  const entries = text.split(";").map((entry) => /^(.+) (\d+)$/.exec(entry.trim()));
  return new Map(entries.map((found) => [Number(found?.[2]), found?.[1] ?? ""]));
}

test.each([
  ["iOS", iosCategories, listed(contract.ios), 47],
  ["Android", androidCategories, listed(contract.android), 58],
])("the categories of %s have the ids of the contract", (_, categories, named, count) => {
  expect(categories).toEqual(named);
  expect(categories.size).toBe(count);
});

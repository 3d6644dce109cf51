/** The iOS store's categories by id. */
export const iosCategories: ReadonlyMap<number, string> = new Map(
  `36 Overall|6000 Business|6001 Weather|6002 Utilities|6003 Travel|6004 Sports|6005 Social Networking|6006 Reference|
6007 Productivity|6008 Photo & Video|6009 News|6010 Navigation|6011 Music|6012 Lifestyle|6013 Health & Fitness|
6014 Games Overall|6015 Finance|6016 Entertainment|6017 Education|6018 Books|6020 Medical|6021 Magazines & Newspapers|
6022 Catalogs|6023 Food & Drink|6024 Shopping|6025 Stickers|6026 Developer Tools|6027 Graphics & Design|7001 Action|
7002 Adventure|7003 Arcade|7004 Board|7005 Card|7006 Casino|7007 Dice|7008 Educational|7009 Family|7010 Kids|7011 Music|
7012 Puzzle|7013 Racing|7014 Role Playing|7015 Simulation|7016 Sports|7017 Strategy|7018 Trivia|7019 Word`
    .split("|")
    .map((entry) => entry.trim())
    .map((entry) => [Number(entry.slice(0, entry.indexOf(" "))), entry.slice(entry.indexOf(" ") + 1)] as const),
);

/** The Android store's categories by the service's own ids, 0 among them; the store itself uses the names. */
export const androidCategories: ReadonlyMap<number, string> = new Map(
  `BOOKS_AND_REFERENCE BUSINESS COMICS COMMUNICATION EDUCATION ENTERTAINMENT FINANCE HEALTH_AND_FITNESS
LIBRARIES_AND_DEMO LIFESTYLE APP_WALLPAPER MEDIA_AND_VIDEO MEDICAL MUSIC_AND_AUDIO NEWS_AND_MAGAZINES PERSONALIZATION
PHOTOGRAPHY PRODUCTIVITY SHOPPING SOCIAL SPORTS TRANSPORTATION TRAVEL_AND_LOCAL TOOLS WEATHER APP_WIDGETS OVERALL GAME
GAME_ACTION GAME_ADVENTURE GAME_ARCADE GAME_BOARD GAME_CARD GAME_CASINO GAME_CASUAL GAME_EDUCATIONAL GAME_FAMILY
GAME_MUSIC GAME_PUZZLE GAME_RACING GAME_ROLE_PLAYING GAME_SIMULATION GAME_SPORTS GAME_STRATEGY GAME_TRIVIA GAME_WORD
MAPS_AND_NAVIGATION ANDROID_WEAR ART_AND_DESIGN AUTO_AND_VEHICLES BEAUTY DATING EVENTS HOUSE_AND_HOME PARENTING
VIDEO_PLAYERS FOOD_AND_DRINK FAMILY`
    .split(/\s+/)
    .map((name, id) => [id, name] as const),
);
